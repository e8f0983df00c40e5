import { z } from 'zod'

/** The input of a tool that replaces a key. */
export const overlapInput = {
  overlap_minutes: z
    .int()
    .min(0)
    .max(1440)
    .default(0)
    .describe('Minutes that the old key works on beside the new one; 0 ends it at once'),
}
