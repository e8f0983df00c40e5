import { z } from 'zod'

/** Fields an account lacks, as its answers tell it. */
export const Setup = z
  .object({
    missing: z.array(z.string()).describe('Fields that are not set yet'),
    blocked_actions: z.array(z.string()).describe('What cannot be done until they are'),
    next: z.array(z.string()).describe('What to call to set them'),
  })
  .describe('What is missing before threads can be opened or received')
