import type { World } from '../../mcp/kernel/call.ts'
import { exampleText, listSkills } from '../../mcp/kernel/help.ts'
import type { Extension, Interface, SecurityScheme, Service, SkillGroup } from '../../mcp/kernel/service.ts'
import { type AnyTool, isFree, skillId } from '../../mcp/kernel/tool.ts'
import { keyFingerprint } from '../../mcp/lib/key-fingerprint.ts'
import { extensionUri } from '../extensions.ts'
import { x402Extensions } from '../tasks/payment.ts'

/** Facts of a card, before it is spelled in one of the views. */
export type CardFacts = {
  name: string
  description: string
  version: string
  provider: { organization: string; url: string }
  documentation: string | null
  interfaces: readonly (Pick<Interface, 'binding' | 'version'> & { url: string })[]
  extensions: readonly {
    uri: string
    description: string
    required: false
    params?: Readonly<Record<string, string>>
  }[]
  /** The x402 extensions: in the strict views of a service that is paid for. */
  payment: readonly { uri: string; description: string; required: false }[]
  inputModes: readonly string[]
  outputModes: readonly string[]
  schemes: Readonly<Record<string, SecurityScheme>>
  requirements: readonly Readonly<Record<string, readonly string[]>>[]
  skills: readonly SkillFacts[]
}

export type SkillFacts = {
  id: string
  name: string
  description: string
  tags: readonly string[]
  examples: readonly string[]
  inputModes: readonly string[] | undefined
  outputModes: readonly string[] | undefined
}

const maxExamples = 5

const skillFacts = (id: string, tool: AnyTool): SkillFacts => ({
  id,
  name: tool.title,
  description: tool.description,
  tags: tool.a2a?.tags ?? [id],
  examples: [...new Set(tool.examples.map(example => exampleText(tool, example)))].slice(0, maxExamples),
  inputModes: tool.a2a?.inputModes,
  outputModes: tool.a2a?.outputModes,
})

/** A group shows an example of each of its operations. */
const groupFacts = (
  { id, name, description, tags, inputModes, outputModes }: SkillGroup,
  tools: readonly AnyTool[],
): SkillFacts => ({
  id,
  name,
  description,
  tags,
  examples: tools.map(tool => exampleText(tool)),
  inputModes,
  outputModes,
})

const extensionParams = (world: World, { params, namesKey }: Extension): Record<string, string> => {
  if (!namesKey) return { ...params }
  const { sign } = world.ports
  if (!sign) return { ...params }
  const key = Buffer.from(sign.ed25519PublicKey, 'base64url')
  return { publicKey: key.toString('base64'), keyFingerprint: keyFingerprint(key), ...params }
}

/** Reads a service as a card (spec §2.1, §5, §9), with absolute addresses. */
export const cardFacts = (world: World, service: Service): CardFacts => {
  const base = world.base(service)
  const { card } = service
  // What is paid on terms of its own is not paid over x402.
  const isPaid = service.tools.some(
    tool => skillId(tool) !== undefined && !isFree(tool.price) && tool.price.terms === undefined,
  )
  return {
    name: service.name,
    description: service.description,
    version: service.version,
    provider: { organization: world.site.organization, url: world.site.url },
    documentation: service.documentation === undefined ? null : base + service.documentation,
    interfaces: service.interfaces.map(({ binding, path, version }) => ({
      binding,
      version,
      url: base + path,
    })),
    extensions: (card.extensions ?? []).map(extension => {
      const params = extensionParams(world, extension)
      return {
        uri: extensionUri(base, extension),
        description: extension.description,
        required: false,
        ...(Object.keys(params).length > 0 && { params }),
      }
    }),
    payment:
      isPaid && world.gate
        ? x402Extensions.map(uri => ({ uri, description: 'x402 payments', required: false }))
        : [],
    inputModes: card.inputModes,
    outputModes: card.outputModes,
    schemes: card.schemes ?? {},
    requirements: card.requirements ?? [],
    skills: listSkills(service).flatMap(({ id, group, tools }) =>
      group ? [groupFacts(group, tools)] : tools.map(tool => skillFacts(id, tool)),
    ),
  }
}
