import { z } from 'zod'
import type { Service, SkillGroup } from './service.ts'
import { type AnyTool, free, skillId, tool } from './tool.ts'

const Help = z.object({
  service: z.string().describe('Name of the service'),
  description: z.string().describe('What the service does'),
  skills: z
    .array(
      z.object({
        id: z.string().describe('Skill id'),
        description: z.string().describe('What it does, when to use it, what it costs'),
        example: z.string().describe('A message that starts it: text, or the JSON of a data part'),
      }),
    )
    .describe('What can be asked over A2A'),
  links: z.record(z.string(), z.url()).describe('Card, MCP endpoint, OpenAPI description, llms.txt'),
})

/** The message that starts a tool's first example: its text template filled in, or the JSON of a data part. */
export const exampleText = (tool: AnyTool, example: Record<string, unknown> = tool.examples[0]): string => {
  const template = tool.a2a?.text?.[0]
  const operation = tool.a2a?.group !== undefined && { operation: tool.name }
  if (!template) return JSON.stringify({ skill: skillId(tool), ...operation, ...example })
  return template.replace(/<(\w+)>/g, (_, field: string) => String(example[field] ?? ''))
}

const serviceLinks = (base: string) => ({
  card: `${base}/.well-known/agent-card.json`,
  mcp: `${base}/mcp`,
  openapi: `${base}/openapi.json`,
  llms: `${base}/llms.txt`,
})

/** The skills of a service in the order of its tools, each with the tools that it is: one, or those of its group. */
export const listSkills = ({
  tools,
  skillGroups = [],
}: Pick<Service, 'tools' | 'skillGroups'>): { id: string; group?: SkillGroup; tools: AnyTool[] }[] => {
  const skills = new Map<string, { id: string; group?: SkillGroup; tools: AnyTool[] }>()
  for (const tool of tools) {
    const id = skillId(tool)
    if (id === undefined) continue
    const group = skillGroups.find(group => group.id === id)
    const skill = skills.get(id) ?? { id, ...(group && { group }), tools: [] }
    skill.tools.push(tool)
    skills.set(id, skill)
  }
  return [...skills.values()]
}

type Options = { mcp?: false; routes?: readonly string[] }

/** The tool that says what a service can do: the answer to text that selects no skill. */
export const help = ({ mcp, routes }: Options = {}): AnyTool =>
  tool({
    name: 'help',
    title: 'Help',
    description:
      'Lists what this service can do, with an example message for each skill and the links to its interfaces. Use it first. Free.',
    input: z.object({}),
    output: Help,
    needs: [],
    price: free,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    a2a: { text: ['help'], tags: ['help'] },
    ...(mcp === false && { mcp }),
    ...(routes && { rest: { routes } }),
    examples: [{}],
    summary: ({ service, skills }) => `${service}: ${skills.map(({ id }) => id).join(', ')}.`,
  }).run(async ({ service, base }) => ({
    service: service.name,
    description: service.description,
    skills: listSkills(service).flatMap(({ id, group, tools: [first] }) =>
      first ? [{ id, description: (group ?? first).description, example: exampleText(first) }] : [],
    ),
    links: serviceLinks(base),
  }))
