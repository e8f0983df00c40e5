import type { AnyTool } from '../mcp/kernel/tool.ts'
import { compileSchemas, type Schema } from './schema.ts'

/** The same schema with references that hold within the whole OpenAPI description. */
const rebased = (value: unknown, name: string): unknown => {
  if (Array.isArray(value)) return value.map(item => rebased(item, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key !== '$ref' || typeof inner !== 'string') return [key, rebased(inner, name)]
      return [key, inner.replace(/^#(?:\/\$defs\/)?/, `#/components/schemas/${name}.`).replace(/\.$/, '')]
    }),
  )
}

const toComponents = (name: string, { $defs = {}, ...schema }: Schema): [string, Schema][] => [
  [name, rebased(schema, name) as Schema],
  ...Object.entries($defs as Record<string, Schema>).map(([inner, defined]): [string, Schema] => [
    `${name}.${inner}`,
    rebased(defined, name) as Schema,
  ]),
]

/** The schemas of a tool as OpenAPI components, `feed.input` and `feed.output`, with what they refer to beside them. */
export const schemaComponents = (tool: AnyTool): Record<string, Schema> => {
  const { input, output } = compileSchemas(tool)
  return Object.fromEntries([
    ...toComponents(`${tool.name}.input`, input),
    ...toComponents(`${tool.name}.output`, output),
  ])
}
