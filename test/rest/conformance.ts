import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect } from 'vitest'

type Media = { schema: object }
type Answer = { content?: Record<string, Media>; headers?: Record<string, object>; $ref?: string }
type Operation = { operationId: string; responses: Record<string, Answer>; parameters?: object[] }

export type OpenApi = {
  servers: { url: string }[]
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  components: {
    responses: Record<string, Answer>
    schemas: Record<string, object>
    securitySchemes: Record<string, { type: string }>
  }
}

const read = new Map<string, { text: string; described: OpenApi }>()

/** The description at an address; one that has not changed is the same object, so that its schemas are compiled once. */
export const openApiAt = async (base: string): Promise<OpenApi> => {
  const text = await (await fetch(`${base}/openapi.json`)).text()
  const before = read.get(base)
  if (before?.text === text) return before.described
  const described = JSON.parse(text) as OpenApi
  read.set(base, { text, described })
  return described
}

type Checker = { ajv: Ajv2020; checks: Map<string, ValidateFunction> }

const checkers = new WeakMap<OpenApi, Checker>()

const openChecker = ({ components }: OpenApi): Checker => {
  // A check runs once or twice: to improve its code costs more than it saves.
  const ajv = new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } })
  formats.default(ajv)
  ajv.addSchema({ components }, 'openapi:/')
  return { ajv, checks: new Map() }
}

/** The check of a schema of this description, whose references lead to its components. */
export const checkOf = (described: OpenApi, schema: object): ValidateFunction => {
  const { ajv, checks } = checkers.get(described) ?? openChecker(described)
  checkers.set(described, { ajv, checks })
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"openapi:/#/components/')
  const check = checks.get(text) ?? ajv.compile(JSON.parse(text))
  checks.set(text, check)
  return check
}

const operationAt = ({ paths }: OpenApi, method: string, path: string): Operation | undefined => {
  // A path without parameters is meant before one with them (OpenAPI, "Path Templating Matching").
  const template =
    path in paths
      ? path
      : Object.keys(paths).find(candidate =>
          new RegExp(`^${candidate.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
        )
  return template === undefined ? undefined : paths[template]?.[method.toLowerCase()]
}

/** Refuses an answer that its OpenAPI description does not describe: status, media type, headers, or body. */
export const expectDescribed = async (
  described: OpenApi,
  method: string,
  response: Response,
): Promise<Record<string, unknown>> => {
  const base = described.servers[0]?.url ?? ''
  const path = response.url.slice(base.length).replace(/\?.*/, '')
  const operation = operationAt(described, method, path)
  expect(operation, `${method} ${path} is described`).toBeDefined()
  const listed = operation?.responses[response.status] ?? operation?.responses.default
  const answer = listed?.$ref ? described.components.responses[listed.$ref.split('/').at(-1) ?? ''] : listed
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const schema = answer?.content?.[type]?.schema
  expect(schema, `${response.status} ${type} of ${method} ${path} is described`).toBeDefined()
  const body = (await response.json()) as Record<string, unknown>
  const check = checkOf(described, schema ?? {})
  const valid = check(body)
  expect(valid, `${method} ${path}: ${JSON.stringify(check.errors)}`).toBe(true)
  return body
}
