import { z } from 'zod'
import { issueText } from './issue-text.ts'

/** `true`, `false`, `1` or `0`. */
export const flag = z.enum(['true', 'false', '1', '0']).transform(text => text === 'true' || text === '1')

/** Parts between commas. */
export const list = z.string().transform(text =>
  text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== ''),
)

/** An http or https address, without slashes at its end. */
export const absoluteUrl = z
  .url({ protocol: /^https?$/, message: 'an absolute http(s) URL' })
  .transform(url => url.replace(/\/+$/, ''))

/** A whole number within bounds. */
export const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.coerce.number().int().min(min).max(max)

/** The JSON of something. Names the field of it that does not fit. */
export const jsonText = <shape extends z.ZodType>(shape: shape) =>
  z.string().transform((text, context): z.output<shape> => {
    try {
      const parsed = shape.safeParse(JSON.parse(text), { error: issueText })
      if (parsed.success) return parsed.data
      const [issue] = parsed.error.issues
      const field = issue?.path.join('.')
      context.addIssue({
        code: 'custom',
        message: field ? `${field}: ${issue?.message}` : `${issue?.message}`,
      })
    } catch {
      context.addIssue({ code: 'custom', message: 'a JSON object' })
    }
    return z.NEVER
  })
