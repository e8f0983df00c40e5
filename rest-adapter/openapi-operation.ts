import type { Service } from '../mcp/kernel/service.ts'
import { type AnyTool, isPriced } from '../mcp/kernel/tool.ts'
import { collectTypes } from './coerce.ts'
import { buildResponses } from './openapi-responses.ts'
import { buildSecurity } from './openapi-security.ts'
import { listProtocols, priceMode } from './price.ts'
import type { Schema } from './schema.ts'

type Place = { method: string; params: readonly string[]; id: string; tag: string }

/** The price as crawlers of paid APIs read it; absent when a call never costs anything. */
export const paymentInfo = (tool: AnyTool) => {
  if (!isPriced(tool)) return {}
  const { amount, unit, network } = tool.price
  return {
    'x-payment-info': {
      price: { mode: priceMode(tool), currency: unit.toUpperCase(), amount },
      ...(network !== undefined && { network }),
      protocols: listProtocols(tool.price).map(protocol => ({ [protocol]: {} })),
      ...(tool.free && { freeTier: tool.free }),
    },
  }
}

const parameter = (
  name: string,
  at: 'path' | 'query',
  schema: Schema,
  required: boolean,
  example: unknown,
) => {
  const { description = name, ...rest } = schema
  const types = collectTypes(schema)
  const asJson = types.has('object') && !types.has('string')
  return {
    name,
    in: at,
    description,
    required: required || at === 'path',
    ...(asJson ? { content: { 'application/json': { schema: rest } } } : { schema: rest }),
    ...(example !== undefined && !asJson && { example }),
  }
}

const freeParameter = {
  name: 'free',
  in: 'query',
  description: 'Asks for the free tier',
  schema: { type: 'string', enum: ['1'] },
}

const buildParameters = (tool: AnyTool, input: Schema, { method, params }: Place): object[] => {
  const example: Readonly<Record<string, unknown>> = tool.examples[0]
  const fields = Object.entries(input.properties ?? {})
  const inPath = params.map(name =>
    parameter(name, 'path', input.properties?.[name] ?? { type: 'string' }, true, example[name]),
  )
  const inQuery =
    method === 'GET'
      ? fields
          .filter(([name]) => !params.includes(name))
          .map(([name, schema]) =>
            parameter(name, 'query', schema, input.required?.includes(name) === true, example[name]),
          )
      : []
  return [
    ...inPath,
    ...inQuery,
    ...(tool.free?.flag ? [freeParameter] : []),
    ...(tool.hints.idempotent ? [] : [{ $ref: '#/components/parameters/IdempotencyKey' }]),
    ...(isPriced(tool) ? [{ $ref: '#/components/parameters/PaymentSignature' }] : []),
  ]
}

const without = (names: readonly string[], value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

const buildRequestBody = (tool: AnyTool, input: Schema, { params }: Place) => {
  const required = (input.required ?? []).filter(name => !params.includes(name))
  const { required: _, ...rest } = input
  const inline = {
    ...rest,
    properties: without(params, input.properties ?? {}),
    ...(required.length > 0 && { required }),
  }
  const examples = tool.examples.map((value, at) => [`example${at + 1}`, { value: without(params, value) }])
  return {
    required: required.length > 0,
    content: {
      'application/json': {
        schema: params.length > 0 ? inline : { $ref: `#/components/schemas/${tool.name}.input` },
        examples: Object.fromEntries(examples),
      },
    },
  }
}

/** One operation of an OpenAPI description: a tool at one of its places. */
export const buildOperation = (service: Service, tool: AnyTool, input: Schema, place: Place): object => {
  const hasBody = place.method !== 'GET'
  const parameters = buildParameters(tool, input, place)
  return {
    operationId: place.id,
    summary: tool.title,
    description: tool.description,
    tags: [place.tag],
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody && { requestBody: buildRequestBody(tool, input, place) }),
    responses: buildResponses(service, tool, hasBody, place.params.length > 0),
    security: buildSecurity(service, tool),
    ...paymentInfo(tool),
  }
}
