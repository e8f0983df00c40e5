import { Ajv2020 } from 'ajv/dist/2020.js'
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

export const openApiAt = async (base: string): Promise<OpenApi> =>
  (await (await fetch(`${base}/openapi.json`)).json()) as OpenApi

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
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  const check = ajv.compile({ ...schema, components: described.components })
  expect(check(body), `${method} ${path}: ${ajv.errorsText(check.errors)}`).toBe(true)
  return body
}
