import { z } from 'zod'

const line = (what: string) => z.number().int().describe(what)

export const Check = z
  .object({
    path: z.string().describe('The path that was checked, percent-encoded'),
    user_agent: z.string().describe('The product token that was checked'),
    allowed: z.boolean().nullable().describe('Null when unknown'),
    matched_rule: z.string().nullable().describe('The rule that decides, as written; null for none'),
    line: z.number().int().nullable().describe('Line of that rule'),
  })
  .describe('May user_agent fetch path, and which rule says so?')

export const Groups = z
  .array(
    z.object({
      user_agents: z.array(z.string()).describe('Crawlers the group is for'),
      rules: z
        .array(
          z.object({
            type: z.enum(['allow', 'disallow']).describe('What the rule does'),
            path: z.string().describe('Pattern as written'),
            line: line('Line in the file'),
          }),
        )
        .describe('Rules in the order of the file'),
      crawl_delay: z.number().nullable().describe('Seconds between two requests'),
      line: line('Line where the group begins'),
    }),
  )
  .describe('Groups of rules in the order of the file')

export const ContentSignals = z
  .array(
    z.object({
      line: line('Line in the file'),
      user_agents: z.array(z.string()).describe('Crawlers it is for; empty for all'),
      path: z.string().nullable().describe('Path it is for; null for all'),
      signals: z.record(z.string(), z.string()).describe('Such as search: yes, ai-train: no'),
    }),
  )
  .describe('Content-Signal and Content-Usage lines: what pages may be used for')

export const SyntaxErrors = z
  .array(
    z.object({
      line: line('Line in the file'),
      code: z.string().describe('Stable code'),
      message: z.string().describe('What is wrong'),
    }),
  )
  .describe('What is wrong with the file, at most 200')
