// Copyright: (c) 2026, hosting.reseller contributors
// GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

// A service made with NestJS: class-validator, its errors, a bare list with page and limit, @nestjs/swagger's page.
import "reflect-metadata";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { BadRequestException, Body, Controller, Get, Module, NotFoundException, Param, Post, Query, ValidationPipe } from "@nestjs/common";
import { CanActivate, ExecutionContext, UnauthorizedException, UseGuards } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { ApiCreatedResponse, ApiExcludeEndpoint, ApiOkResponse, ApiProperty, ApiPropertyOptional, DocumentBuilder, SwaggerModule } from "@nestjs/swagger";
import { plainToInstance } from "class-transformer";
import {
  IsAlphanumeric, IsBoolean, IsDivisibleBy, IsIn, IsInt, IsObject, IsOptional, IsString, IsUUID, Length, Matches, Max, MaxLength, Min,
  getMetadataStorage, validateSync,
} from "class-validator";

const data = JSON.parse(readFileSync(`${__dirname}/../catalogue.json`, "utf8"));
const HOSTNAME = /^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*$/;

class Vps {
  @Matches(HOSTNAME) @MaxLength(253) hostname: string;
  @IsIn(data.templates) template: string;
}

class ConfigurableVps {
  @IsInt() @Min(1) @Max(10) cpu_cores: number;
  @IsInt() @Min(1024) @Max(data.org_max_ram) @IsDivisibleBy(1024) ram: number;
  @IsInt() @Min(10) @Max(1000) @IsDivisibleBy(10) disk_size: number;
  @IsAlphanumeric() @Length(3, 32) username: string;
  @IsString() password: string;
  @IsIn(data.templates) template_name: string;
  @Matches(HOSTNAME) hostname: string;
  @IsInt() @Min(1) @Max(10) ipv4_addresses: number;
  @IsInt() @Min(128) @IsDivisibleBy(128) traffic_display: number;
  @IsInt() @Min(5) backup_count: number;
  @IsInt() @Min(2) snapshot_count: number;
  @IsBoolean() ha_upgrade: boolean;
  @IsBoolean() "10g_upgrade": boolean;
}

class DedicatedServer {
  @Matches(HOSTNAME) hostname: string;
  @IsIn(data.templates) template: string;
  @IsOptional() @IsInt() @Min(25) @Max(29) ip4_subnet_size?: number;
  @IsOptional() @IsInt() @Min(1) @Max(10) ip4_count?: number | null;
  @IsOptional() @IsInt() @Min(48) @Max(64) ip6_subnet_size?: number;
  @IsOptional() @IsUUID() existing_l2vpn?: string;
}

class Webhosting {}

class Domain {
  @IsString() domain: string;
  @IsIn(["register", "transfer"]) action: string;
  @IsOptional() @IsString() authcode?: string;
  @IsOptional() @IsString() nameservers?: string;
  @IsOptional() @IsString() ownercRef?: string;
  @IsOptional() @IsString() ownercData?: string;
  @IsOptional() @IsString() admincRef?: string;
  @IsOptional() @IsString() admincData?: string;
}

const SETTINGS = { vps: Vps, configurable_vps: ConfigurableVps, dedicated_server: DedicatedServer, webhosting: Webhosting, domain: Domain };

/** What class-validator knows of a class: the rules of each property, by name. */
function described(type: any): Record<string, any> {
  const found: Record<string, any> = {};
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(type, "", true, false)) {
    const name = rule.name ?? rule.type;
    (found[rule.propertyName] ??= {})[name] = rule.constraints?.map((each) => (each instanceof RegExp ? each.source : each)) ?? [];
  }
  return found;
}

class Order {
  @ApiProperty({ description: "UUID of the end user, or `__self__`" }) @Matches(/^(__self__|[0-9a-f-]{36})$/i) endUserId: string;
  @ApiProperty({ format: "uuid" }) @IsUUID() productId: string;
  @ApiPropertyOptional({ type: "object", additionalProperties: true }) @IsOptional() @IsObject() settings?: object;
}

class Contract {
  @ApiProperty({ format: "uuid" }) id: string;
  @ApiProperty() status: string;
}

class Customer {
  @ApiProperty() uuid: string;
}

/** A contract as it is read; an order is answered otherwise. */
class ContractView {
  @ApiProperty({ format: "uuid" }) contractId: string;
  @ApiProperty() productId: string;
  @ApiProperty({ type: Customer, nullable: true }) customer: Customer | null;
  @ApiPropertyOptional() serverName?: string;
  @ApiProperty({ enum: ["new", "ready", "broken"] }) status: string;
  @ApiProperty({ description: "Milliseconds since 1970" }) createdAt: number;
}

class SignedIn implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { "x-api-key": key, "x-organization-id": organization } = context.switchToHttp().getRequest().headers;
    if (key !== data.api_key || organization !== data.organization_id) throw new UnauthorizedException("The API key is not known.");
    return true;
  }
}

const orders: Order[] = [];
const contracts: ContractView[] = [];

@Controller()
class Reseller {
  @Get("api/reseller/products") @UseGuards(SignedIn)
  products(@Query("page") page = "1", @Query("limit") limit = "10") {
    const listed = data.products.slice((+page - 1) * +limit, +page * +limit);
    return listed.map((one: any) => ({ id: one.id, name: one.name, options: described(SETTINGS[one.type as keyof typeof SETTINGS]) }));
  }

  @Post("api/reseller/contracts") @UseGuards(SignedIn) @ApiCreatedResponse({ type: Contract })
  order(@Body() wanted: Order): Contract {
    const product = data.products.find((one: any) => one.id === wanted.productId);
    if (!product) throw new NotFoundException("There is no such product.");
    const settings = plainToInstance(SETTINGS[product.type as keyof typeof SETTINGS] as any, wanted.settings ?? {}) as object;
    const errors = validateSync(settings, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
    if (errors.length) {
      throw new BadRequestException(errors.flatMap((each) => Object.values(each.constraints ?? {}).map((text) => `settings.${text}`)));
    }
    orders.push(wanted);
    const made = { id: randomUUID(), status: "new" };
    contracts.unshift({
      contractId: made.id, productId: wanted.productId, customer: wanted.endUserId === "__self__" ? null : { uuid: wanted.endUserId },
      serverName: (wanted.settings as any)?.hostname, status: "ready", createdAt: Date.now(),
    });
    return made;
  }

  @Get("api/reseller/contracts") @UseGuards(SignedIn) @ApiOkResponse({ type: [ContractView] })
  listed(@Query("page") page = "1", @Query("limit") limit = "10"): ContractView[] {
    return contracts.slice((+page - 1) * +limit, +page * +limit);
  }

  @Get("api/reseller/contracts/:id") @UseGuards(SignedIn) @ApiOkResponse({ type: ContractView })
  shown(@Param("id") id: string): ContractView {
    const found = contracts.find((one) => one.contractId === id);
    if (!found) throw new NotFoundException("There is no such contract.");
    return found;
  }

  @Get("_orders") @ApiExcludeEndpoint()
  placed() {
    return orders;
  }
}

@Module({ controllers: [Reseller] })
class App {}

async function main() {
  const app = await NestFactory.create(App, { logger: ["error"] });
  app.useGlobalPipes(new ValidationPipe());
  const reference = SwaggerModule.createDocument(app, new DocumentBuilder().setTitle("Portal").setVersion("1").build());
  SwaggerModule.setup("api/docs", app, reference);
  await app.init();
  app.getHttpServer().listen({ fd: Number(process.argv[2]) });
}

main();
