import { randomUUID } from 'node:crypto'
import type { Fields } from './fields.ts'

/** A part as both versions mean it. */
export type Part = { text: string } | { data: unknown } | FilePart

/** A file that an answer holds, as base64 or by its address. */
export type FilePart = { file: ({ bytes: string } | { url: string }) & { name: string; mediaType: string } }

/** A message as both versions mean it. */
export type Message = {
  messageId: string
  role: 'user' | 'agent'
  parts: readonly Part[]
  contextId?: string
  taskId?: string
  metadata?: Fields
}

export type TaskState =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'completed'
  | 'canceled'
  | 'failed'
  | 'rejected'

export type Artifact = { artifactId: string; name: string; parts: readonly Part[] }

/** A task as both versions mean it; `timestamp` is that of the state. */
export type A2aTask = {
  id: string
  contextId: string
  state: TaskState
  timestamp: string
  message: Message | null
  artifacts: readonly Artifact[]
  history: readonly Message[]
}

/** Builds an agent message: one line of text, and data if there is any. */
export const toAgentMessage = (
  place: { contextId: string; taskId?: string },
  text: string,
  data?: object,
  metadata?: Fields,
): Message => ({
  messageId: randomUUID(),
  role: 'agent',
  ...place,
  parts: data === undefined ? [{ text }] : [{ text }, { data }],
  ...(metadata && { metadata }),
})
