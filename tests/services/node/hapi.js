// Copyright: (c) 2026, hosting.reseller contributors
// GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

// A service made with hapi: Joi's description as options, its errors, hapi-swagger's page (Swagger 2.0).
"use strict";
const crypto = require("node:crypto");
const data = require("../catalogue.json");
const Hapi = require("@hapi/hapi");
const Joi = require("joi");

const hostname = Joi.string().max(253).pattern(/^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*$/);
const template = Joi.string().valid(...data.templates);
const settings = {
  vps: Joi.object({ hostname: hostname.required(), template: template.required() }),
  configurable_vps: Joi.object({
    cpu_cores: Joi.number().integer().min(1).max(10).required(),
    ram: Joi.number().integer().min(1024).max(data.org_max_ram).multiple(1024).required().description("RAM in MB"),
    disk_size: Joi.number().integer().min(10).max(1000).multiple(10).required(),
    username: Joi.string().alphanum().min(3).max(32).required(),
    password: Joi.string().required(),
    template_name: template.required(),
    hostname: hostname.required(),
    ipv4_addresses: Joi.number().integer().min(1).max(10).required(),
    traffic_display: Joi.number().integer().min(128).multiple(128).required(),
    backup_count: Joi.number().integer().min(5).required(),
    snapshot_count: Joi.number().integer().min(2).required(),
    ha_upgrade: Joi.boolean().strict().required(),
    "10g_upgrade": Joi.boolean().strict().required(),
  }),
  dedicated_server: Joi.object({
    hostname: hostname.required(),
    template: template.required(),
    ip4_subnet_size: Joi.number().integer().min(25).max(29),
    ip4_count: Joi.number().integer().min(1).max(10).allow(null),
    ip6_subnet_size: Joi.number().integer().min(48).max(64),
    existing_l2vpn: Joi.string().guid(),
  }),
  webhosting: Joi.object({}),
  domain: Joi.object({
    domain: Joi.string().required(),
    action: Joi.string().valid("register", "transfer").required(),
    authcode: Joi.string(),
    nameservers: Joi.string(),
    ownercRef: Joi.string(),
    ownercData: Joi.string(),
    admincRef: Joi.string(),
    admincData: Joi.string(),
  }),
};
const orders = [];

async function main() {
  const server = Hapi.server({ host: "127.0.0.1", port: Number(process.argv[2]) });
  await server.register([
    require("@hapi/inert"),
    require("@hapi/vision"),
    {
      plugin: require("hapi-swagger"),
      options: { info: { title: "Portal", version: "1" }, documentationPath: "/api/docs", jsonPath: "/api/swagger.json" },
    },
  ]);
  server.ext("onRequest", (request, h) => {
    const { "x-api-key": key, "x-organization-id": organization } = request.headers;
    if (request.path.startsWith("/api/reseller/") && (key !== data.api_key || organization !== data.organization_id)) {
      return h.response({ statusCode: 401, error: "Unauthorized", message: "The API key is not known." }).code(401).takeover();
    }
    return h.continue;
  });
  server.route({
    method: "GET",
    path: "/api/reseller/products",
    options: {
      tags: ["api"],
      validate: { query: Joi.object({ limit: Joi.number().integer().default(20), skip: Joi.number().integer().default(0) }) },
    },
    handler: (request) => ({
      total: data.products.length,
      products: data.products
        .slice(request.query.skip, request.query.skip + request.query.limit)
        .map((product) => ({ id: product.id, name: product.name, options: settings[product.type].describe() })),
    }),
  });
  server.route({
    method: "POST",
    path: "/api/reseller/contracts",
    options: {
      tags: ["api"],
      validate: {
        payload: Joi.object({
          enduser_uuid: Joi.string().required().description("UUID of the end-user, or __self__"),
          product_uuid: Joi.string().guid().required(),
          settings: Joi.object().unknown(),
        }).label("Order"),
        failAction: (request, h, error) => { throw error; },
      },
      response: { status: { 200: Joi.object({ id: Joi.string().guid(), status: Joi.string() }).label("Contract") } },
    },
    handler: (request, h) => {
      const product = data.products.find((one) => one.id === request.payload.product_uuid);
      if (!product) return h.response({ statusCode: 404, error: "Not Found", message: "There is no such product." }).code(404);
      const { error } = Joi.object({ settings: settings[product.type] }).validate({ settings: request.payload.settings || {} });
      if (error) {
        const keys = error.details.map((each) => each.path.join("."));
        const answer = { statusCode: 400, error: "Bad Request", message: error.message, validation: { source: "payload", keys } };
        return h.response(answer).code(400);
      }
      orders.push(request.payload);
      return { id: crypto.randomUUID(), status: "created" };
    },
  });
  server.route({ method: "GET", path: "/_orders", handler: () => orders });
  await server.start();
}

main();
