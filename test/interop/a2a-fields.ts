import type {
  AgentCapabilities,
  AgentCard,
  AgentExtension,
  AgentInterface,
  AgentProvider,
  AgentSkill,
  Artifact,
  DataPart,
  Message,
  Task,
  TaskStatus,
  TextPart,
} from 'a2a-03'

/** The fields of a type: a shape where more is known of the value, or of each item of a list. */
type Shape = { readonly [field: string]: Shape | true }
type Fields<T> = { readonly [field in keyof T]-?: Shape | true }

const interfaces: Fields<AgentInterface> = { url: true, transport: true }
const provider: Fields<AgentProvider> = { organization: true, url: true }
const extensions: Fields<AgentExtension> = { uri: true, description: true, required: true, params: true }
const capabilities: Fields<AgentCapabilities> = {
  streaming: true,
  pushNotifications: true,
  stateTransitionHistory: true,
  extensions,
}
const skills: Fields<AgentSkill> = {
  id: true,
  name: true,
  description: true,
  tags: true,
  examples: true,
  inputModes: true,
  outputModes: true,
  security: true,
}
const signatures = { protected: true, signature: true, header: true } as const

/** The card of A2A 0.3, as complete as SDK 0.3.14 types it: the compiler checks the lists here. */
export const card03: Fields<AgentCard> = {
  protocolVersion: true,
  name: true,
  description: true,
  version: true,
  url: true,
  preferredTransport: true,
  additionalInterfaces: interfaces,
  provider,
  documentationUrl: true,
  iconUrl: true,
  capabilities,
  securitySchemes: true,
  security: true,
  defaultInputModes: true,
  defaultOutputModes: true,
  skills,
  signatures,
  supportsAuthenticatedExtendedCard: true,
}

const parts: Fields<TextPart & Omit<DataPart, 'kind'>> = {
  kind: true,
  text: true,
  data: true,
  metadata: true,
}
export const message03: Fields<Message> = {
  kind: true,
  messageId: true,
  contextId: true,
  taskId: true,
  role: true,
  parts,
  metadata: true,
  extensions: true,
  referenceTaskIds: true,
}
const status: Fields<TaskStatus> = { state: true, message: message03, timestamp: true }
const artifacts: Fields<Artifact> = {
  artifactId: true,
  name: true,
  description: true,
  parts,
  metadata: true,
  extensions: true,
}
export const task03: Fields<Task> = {
  kind: true,
  id: true,
  contextId: true,
  status,
  artifacts,
  history: message03,
  metadata: true,
}

/** Paths of the fields that a shape does not have. */
export const strangers = (shape: Shape, value: unknown, path = ''): string[] => {
  if (Array.isArray(value)) return value.flatMap(item => strangers(shape, item, path))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined
    if (!field) return [`${path}.${name}`]
    return field === true ? [] : strangers(field, inner, `${path}.${name}`)
  })
}
