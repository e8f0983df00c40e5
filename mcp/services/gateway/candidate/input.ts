import { z } from 'zod'
import { isPlainLine } from '../../../lib/text/clean.ts'

/** The need, in a line of 1 to 128 characters. */
export const NeedInput = z
  .string()
  .refine(isPlainLine, 'must hold no control characters')
  .trim()
  .min(1)
  .max(128)

/** How a candidate is called by whoever named it: an id, a host, an address or a name of the MCP registry. */
export const CandidateIdentifier = z
  .string()
  .regex(/^[A-Za-z0-9._:@/+~-]{1,240}$/, 'must be 1 to 240 of A-Z a-z 0-9 . _ : @ / + ~ -')
  .refine(
    text => !/^(?:javascript|data|file|vbscript|blob):/i.test(text),
    'must be an id, a host or an http address',
  )
