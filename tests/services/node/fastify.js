// Copyright: (c) 2026, hosting.reseller contributors
// GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

// A service made with Fastify: JSON Schema as options, Ajv's errors, a bare list with page and size, @fastify/swagger-ui.
"use strict";
const crypto = require("node:crypto");
const data = require("../catalogue.json");
const Fastify = require("fastify");

const hostname = { type: "string", maxLength: 253, pattern: "^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9-]+)*$" };
const template = { type: "string", enum: data.templates };
const text = { type: "string" };
const integer = (minimum, maximum, multipleOf) => ({ type: "integer", minimum, ...(maximum && { maximum }), ...(multipleOf && { multipleOf }) });
const closed = (properties, required) => ({ type: "object", additionalProperties: false, required, properties });

const vps = closed({ hostname, template }, ["hostname", "template"]);
const configurable = {
  cpu_cores: integer(1, 10),
  ram: integer(1024, data.org_max_ram, 1024),
  disk_size: integer(10, 1000, 10),
  username: { type: "string", minLength: 3, maxLength: 32, pattern: "^[A-Za-z0-9]+$" },
  password: text,
  template_name: template,
  hostname,
  ipv4_addresses: integer(1, 10),
  traffic_display: integer(128, null, 128),
  backup_count: integer(5),
  snapshot_count: integer(2),
  ha_upgrade: { type: "boolean" },
  "10g_upgrade": { type: "boolean" },
};
const settings = {
  vps,
  configurable_vps: closed(configurable, Object.keys(configurable)),
  dedicated_server: closed(
    {
      hostname,
      template,
      ip4_subnet_size: integer(25, 29),
      ip4_count: { type: ["integer", "null"], minimum: 1, maximum: 10 },
      ip6_subnet_size: integer(48, 64),
      existing_l2vpn: { type: "string", format: "uuid" },
    },
    ["hostname", "template"],
  ),
  webhosting: closed({}, []),
  domain: closed(
    {
      domain: text,
      action: { type: "string", enum: ["register", "transfer"] },
      authcode: text,
      nameservers: text,
      ownercRef: text,
      ownercData: text,
      admincRef: text,
      admincData: text,
    },
    ["domain", "action"],
  ),
};
const orders = [];

async function main() {
  const app = Fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } } });
  await app.register(require("@fastify/swagger"), { openapi: { info: { title: "Portal", version: "1" } } });
  await app.register(require("@fastify/swagger-ui"), { routePrefix: "/api/docs" });
  app.addHook("onRequest", async (request, reply) => {
    const { "x-api-key": key, "x-organization-id": organization } = request.headers;
    if (request.url.startsWith("/api/reseller/") && (key !== data.api_key || organization !== data.organization_id)) {
      return reply.code(401).send({ statusCode: 401, error: "Unauthorized", message: "The API key is not known." });
    }
  });
  const paging = { type: "object", properties: { page: { type: "string", pattern: "^[0-9]+$" }, size: { type: "string", pattern: "^[0-9]+$" } } };
  app.get("/api/reseller/products", { schema: { querystring: paging } }, async (request) => {
    const page = Number(request.query.page || 1), size = Number(request.query.size || 25);
    return data.products
      .slice((page - 1) * size, page * size)
      .map((product) => ({ id: product.id, name: product.name, options: settings[product.type] }));
  });
  const body = {
    type: "object",
    required: ["endUser", "product"],
    properties: {
      endUser: { type: "string", description: "UUID of the end user, or `__self__`" },
      product: { type: "string", format: "uuid" },
      settings: { type: "object", additionalProperties: true },
    },
  };
  const contract = closed({ id: { type: "string", format: "uuid" }, status: text }, ["id"]);
  app.post("/api/reseller/contracts", { schema: { body, response: { 201: contract } } }, async (request, reply) => {
    const product = data.products.find((one) => one.id === request.body.product);
    if (!product) return reply.code(404).send({ statusCode: 404, error: "Not Found", message: "There is no such product." });
    const whole = { type: "object", properties: { settings: settings[product.type] } };
    const valid = request.compileValidationSchema(whole);
    if (!valid({ settings: request.body.settings || {} })) {
      const error = new Error();
      error.validation = valid.errors;
      error.validationContext = "body";
      const [first] = valid.errors;
      error.message = `body${first.instancePath} ${first.message}`;
      throw error;
    }
    orders.push(request.body);
    return reply.code(201).send({ id: crypto.randomUUID(), status: "open" });
  });
  app.get("/_orders", { schema: { hide: true } }, async () => orders);
  await app.listen({ host: "127.0.0.1", port: Number(process.argv[2]) });
}

main();
