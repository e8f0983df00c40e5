import { z } from 'zod'
import { annulments, type RecordEntryRow, resolvers } from './entry.ts'
import type { Prediction } from './prediction.ts'

/** The fields of a prediction that anybody may read; what it says is null until it is resolved or annulled. */
export const PredictionOut = z.object({
  id: z.string().describe('Id of the prediction'),
  state: z.enum(['open', 'resolved', 'annulled']).describe('Whether its outcome is known'),
  domain: z.string().describe('Domain'),
  commitment: z.string().describe('SHA-256 of the canonical content, published at registration'),
  created_at: z.string().describe('When it was registered, ISO 8601'),
  closes_at: z.string().describe('When the question closes; it is scored from then on'),
  question_id: z.string().describe('Id of the first prediction of the same question'),
  question: z.string().nullable().describe('The question; null while it is open'),
  probability: z.number().nullable().describe('What was predicted; null while it is open'),
  method: z.string().nullable().describe('How; null while it is open'),
  nonce: z.string().nullable().describe('Opens the commitment; null while it is open'),
  outcome: z
    .union([z.literal(0), z.literal(1)])
    .nullable()
    .describe('1 came true, 0 did not; null while open'),
  resolved_by: z
    .enum(resolvers)
    .nullable()
    .describe(
      'Who said so: a source that the operator vouches for, one that the asker declared, or the asker',
    ),
  evidence: z.string().nullable().describe('Where that can be seen'),
  resolved_at: z.string().nullable().describe('When it was resolved or annulled'),
  reason: z.enum(annulments).nullable().describe('Why it was annulled'),
  seq: z.number().int().describe('Place of its registration in the record'),
  untrusted: z.literal(true).describe('Question and evidence are words of callers'),
})

/** A prediction as anybody may read it. */
export const toPublicPrediction = ({
  number: _,
  content,
  due_at: __,
  question,
  ...row
}: Prediction): z.output<typeof PredictionOut> => {
  const isOpen = row.state === 'open'
  return {
    ...row,
    question_id: content.question,
    question: isOpen ? null : question,
    probability: isOpen ? null : content.probability,
    method: isOpen ? null : content.method,
    nonce: isOpen ? null : content.nonce,
    untrusted: true,
  }
}

/** A leaf of the record and, where it publishes a prediction, its question. */
export const EntryOut = z.object({
  seq: z.number().int().describe('Place in the record, from 0'),
  canonical: z.string().describe('The text of the leaf: canonical JSON'),
  question: z
    .string()
    .nullable()
    .describe('The question whose SHA-256 the leaf holds; null while it is open'),
})

export const toPublicEntry = ({ seq, canonical, question }: RecordEntryRow): z.output<typeof EntryOut> => ({
  seq,
  canonical,
  question,
})
