import { z } from 'zod'
import type { Asking } from '../../lib/asking.ts'
import { holdsQuote } from '../../lib/text/quote.ts'
import { type Material, toSourceParts } from './model/retrieve.ts'

const Split = z.object({
  parts: z
    .array(z.string().min(5).max(300))
    .min(1)
    .max(6)
    .describe('What the claim says, part by part, each true or false by itself'),
  queries: z.array(z.string().min(2).max(200)).min(1).max(3).describe('Searches that would find who knows'),
})

const Checked = z.object({
  parts: z
    .array(
      z.object({
        part: z.int().min(1).max(6).describe('Number of the part'),
        verdict: z.enum(['supported', 'contradicted', 'not_found']).describe('What the sources say of it'),
        source_id: z.string().max(10).describe('Id of the source; empty for not_found'),
        quote: z.string().max(400).describe('Its very words, copied; empty for not_found'),
      }),
    )
    .max(6)
    .describe('One entry for each part'),
  failure_modes: z
    .array(
      z.object({
        description: z.string().max(300).describe('How this very claim fails'),
        mechanism: z.string().max(300).describe('Why'),
        likelihood: z.enum(['low', 'medium', 'high']).describe('How likely'),
        early_warning: z.string().max(300).describe('What shows it early'),
      }),
    )
    .max(5)
    .describe('Failure modes that are specific to the claim'),
  counterarguments: z.array(z.string().max(300)).max(5).describe('The strongest arguments against it'),
})

const splitter = `You take a claim apart into what it says, so that each part can be checked by itself. Add nothing, leave nothing out, and
do not judge it.`

const checker = `You check the parts of a claim against sources. A part is supported or contradicted only where a source says so: copy its
very words. Where none does, it is not_found, whatever you know yourself. Then say how this very claim could fail, and what speaks
against it.`

type PartVerdict = {
  text: string
  verdict: 'supported' | 'contradicted' | 'not_found'
  source_id: string | null
  url: string | null
  quote: string | null
}

/**
 * Lets a model take a claim apart and check each part against sources. A verdict counts only with a quote that the source does hold;
 * without one the part is not found.
 */
export const auditByModel = async (
  asking: Asking,
  claim: string,
  retrieveFor: (queries: readonly string[]) => Promise<Material>,
) => {
  const { parts, queries } = await asking.ask(splitter, [{ label: 'claim', data: claim }], Split)
  const material = await retrieveFor(queries)
  const checked = await asking.ask(
    checker,
    [
      { label: 'parts', data: parts.map((part, n) => `${n + 1}. ${part}`).join('\n') },
      ...toSourceParts(material.documents),
    ],
    Checked,
  )
  const verdicts = parts.map((text, n): PartVerdict => {
    const found = checked.parts.find(({ part }) => part === n + 1)
    const document = material.documents.find(({ id }) => id === found?.source_id)
    if (!found || !document || found.verdict === 'not_found' || !holdsQuote(document.text, found.quote))
      return { text, verdict: 'not_found', source_id: null, url: null, quote: null }
    return { text, verdict: found.verdict, source_id: document.id, url: document.url, quote: found.quote }
  })
  return {
    parts: verdicts,
    failureModes: checked.failure_modes,
    counterarguments: checked.counterarguments,
    failures: material.failures,
  }
}
