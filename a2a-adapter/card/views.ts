import type { CardFacts } from './facts.ts'
import {
  interfaces03,
  officialSkill,
  requirements10,
  schemes03,
  schemes10,
  schemesOfBoth,
  supportedInterfaces,
  unlessEmpty,
} from './parts.ts'

/** A card as JSON. */
export type AgentCard = Readonly<Record<string, unknown>>

const noStream = { streaming: false, pushNotifications: false }

const common = (facts: CardFacts) => ({
  name: facts.name,
  description: facts.description,
  provider: facts.provider,
  version: facts.version,
  ...(facts.documentation !== null && { documentationUrl: facts.documentation }),
})

const modes = ({ inputModes, outputModes }: CardFacts) => ({
  defaultInputModes: inputModes,
  defaultOutputModes: outputModes,
})

/** The card of A2A 1.0 and nothing else. */
export const card10 = (facts: CardFacts, schemes: object = schemes10(facts)): AgentCard => ({
  ...common(facts),
  supportedInterfaces: supportedInterfaces(facts),
  capabilities: { ...noStream, ...unlessEmpty('extensions', [...facts.extensions, ...facts.payment]) },
  ...unlessEmpty('securitySchemes', schemes),
  ...unlessEmpty('securityRequirements', requirements10(facts)),
  ...modes(facts),
  skills: facts.skills.map(officialSkill),
})

/** The card of A2A 0.3 and nothing else. */
export const card03 = (facts: CardFacts): AgentCard => ({
  protocolVersion: '0.3.0',
  ...common(facts),
  ...interfaces03(facts),
  capabilities: { ...noStream, ...unlessEmpty('extensions', [...facts.extensions, ...facts.payment]) },
  ...unlessEmpty('securitySchemes', schemes03(facts)),
  ...unlessEmpty('security', facts.requirements),
  ...modes(facts),
  skills: facts.skills.map(officialSkill),
  supportsAuthenticatedExtendedCard: false,
})

const kinds = ({ schemes }: CardFacts) =>
  Object.fromEntries(Object.entries(schemes).map(([name, { kind }]) => [name, { kind }]))

/** The fields of spec §2.1. Where they are proto names of official ones, they stand for them. */
const seed = (facts: CardFacts) => ({
  name: facts.name,
  description: facts.description,
  provider: facts.provider,
  agent_version: facts.version,
  documentation_url: facts.documentation,
  icon_url: null,
  interfaces: facts.interfaces.map(({ binding, version, url }, preference) => ({
    protocol: 'a2a',
    binding,
    protocol_version: version,
    url,
    tenant: null,
    preference,
  })),
  skills: facts.skills.map(({ id, name, description, tags, examples, inputModes, outputModes }) => ({
    id,
    name,
    description,
    tags,
    examples,
    input_modes: inputModes ?? null,
    output_modes: outputModes ?? null,
    security_requirements: null,
  })),
  capabilities: {
    streaming: false,
    push_notifications: false,
    extended_agent_card: null,
    extensions: facts.extensions,
  },
  interaction: {
    default_input_modes: facts.inputModes,
    default_output_modes: facts.outputModes,
    security_schemes: kinds(facts),
    security_requirements: facts.requirements,
  },
})

/**
 * The card for everybody: spec §2.1 with the official fields of both versions beside it. No object in it spells one
 * proto field twice, which strict parsers of ProtoJSON refuse.
 */
export const supersetCard = (facts: CardFacts): AgentCard => ({
  ...seed(facts),
  protocolVersion: '0.3.0',
  version: facts.version,
  ...interfaces03(facts),
  supportsAuthenticatedExtendedCard: false,
  supportedInterfaces: supportedInterfaces(facts),
  ...unlessEmpty('securitySchemes', schemesOfBoth(facts)),
  ...unlessEmpty('security', facts.requirements),
  ...unlessEmpty('securityRequirements', requirements10(facts)),
  ...modes(facts),
})
