import { z } from 'zod'
import { ToolError, toToolError } from '../../../kernel/error.ts'
import type { Service } from '../../../kernel/service.ts'
import type { AnyTool } from '../../../kernel/tool.ts'
import type { Ports } from '../../../ports/ports.ts'
import { type Shaping, shape } from '../shape.ts'
import { runSkill, type Skill, type SkillContext } from '../skill.ts'

/** Result of one skill within a larger call: its own fields, or why it failed. */
export const BundlePart = z.object({
  ok: z.boolean().describe('False when this part failed'),
  ms: z.number().int().describe('Milliseconds it took'),
  cached: z.boolean().describe('True when it comes from a cache'),
  truncated: z.boolean().describe('True when a limit or max_tokens cut something off'),
  result: z.record(z.string(), z.unknown()).nullable().describe('Fields of the skill; null when it failed'),
  warnings: z.array(z.string()).describe('What to know before it is relied on'),
  error: z
    .object({
      code: z.string().describe('Code of the failure'),
      message: z.string().describe('What happened, and what to do'),
      retryable: z.boolean().describe('True when the same may work later'),
    })
    .nullable()
    .describe('Why it failed; null when it worked'),
})

const isSkill = (tool: AnyTool): tool is Skill => 'own' in tool && 'cacheSec' in tool

/** The skills of a service. */
export const skillsIn = ({ tools }: Service): Skill[] => tools.filter(isSkill)

/** Throws `unavailable` for a skill that is not there or lacks a port, `invalid_input` for input it does not take. */
const prepareSkill = (ctx: SkillContext, id: string, input: object) => {
  const skill = skillsIn(ctx.service).find(({ name }) => name === id)
  const ports: Partial<Ports> = ctx
  const missing = skill?.needs.find((need: keyof Ports) => ports[need] === undefined)
  if (!skill || missing)
    throw new ToolError('unavailable', `${id} needs "${missing ?? id}", which is not configured here.`)
  const parsed = skill.input.safeParse(input)
  if (parsed.success) return { skill, input: parsed.data as object }
  const [issue] = parsed.error.issues
  throw new ToolError('invalid_input', `${issue?.path.join('.') || 'input'}: ${issue?.message}.`)
}

const rejectAfter = (ms: number) =>
  new Promise<never>((_, reject) => {
    const error = new ToolError('timeout', `It took more than ${ms / 1000} s.`)
    setTimeout(() => reject(error), ms).unref()
  })

/** Runs one skill as a part of a larger call, for at most `ms`. A failure is an answer. */
export const runPart = async (
  ctx: SkillContext,
  id: string,
  partInput: object,
  ms: number,
): Promise<z.output<typeof BundlePart>> => {
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  try {
    const { skill, input } = prepareSkill(ctx, id, partInput)
    // How much of an answer is wanted is nothing that its handler or its cache asks for.
    const {
      max_tokens: maxTokens,
      after,
      fields: fieldList,
      ...own
    } = input as Shaping & Record<string, unknown>
    const work = runSkill(skill, ctx, own)
    const { fields, about, cached } = await Promise.race([work, rejectAfter(ms)])
    const wanted: Shaping = { max_tokens: maxTokens, after, fields: fieldList }
    const shaped = shape(fields, skill.main, wanted, Object.keys(skill.own.shape))
    const warnings = [...(about.warnings ?? []), ...shaped.warnings].map(({ message }) => message)
    const truncated = shaped.truncated || about.truncated === true
    return { ok: true, ms: took(), cached, truncated, result: shaped.fields, warnings, error: null }
  } catch (cause) {
    const { code, retryable, detail: message } = toToolError(cause).toProblem()
    return {
      ok: false,
      ms: took(),
      cached: false,
      truncated: false,
      result: null,
      warnings: [],
      error: { code, message, retryable },
    }
  }
}
