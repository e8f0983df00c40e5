import { z } from 'zod'

/** One thing about a payment message: an `error` stops payers, a `warning` stops some of them. */
export type MessageFinding = {
  severity: 'error' | 'warning'
  code: string
  /** Place: a header, a status, or the dotted path of a field. */
  path: string
  /** The fault, and what to do about it. */
  message: string
}

export const error = (code: string, path: string, message: string): MessageFinding => ({
  severity: 'error',
  code,
  path,
  message,
})

export const warning = (code: string, path: string, message: string): MessageFinding => ({
  severity: 'warning',
  code,
  path,
  message,
})

export const FindingFields = z.object({
  severity: z.enum(['error', 'warning']).describe('An error stops payers, a warning stops some'),
  code: z.string().describe('What is wrong, for programs'),
  path: z.string().describe('Where: a header, the status, or the path of a field'),
  message: z.string().describe('What is wrong and what to do, for people'),
})

/** The first thing that stops payers; null when nothing does. */
export const firstError = (findings: readonly MessageFinding[]): MessageFinding | null =>
  findings.find(({ severity }) => severity === 'error') ?? null
