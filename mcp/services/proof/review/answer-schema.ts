import { z } from 'zod'
import { proofOutput } from '../proofs/issue.ts'
import { layers, severities } from './finding.ts'

const PlaceFields = z
  .object({
    file: z.string().optional().describe('File of a diff'),
    line: z.number().int().optional().describe('Line of the artifact or the file'),
    path: z.string().optional().describe('Field of a setting, a trade or an action'),
  })
  .describe('Where it is')

const OnchainRisk = z
  .object({
    subject: z.string().describe('What would be signed'),
    chain_id: z.number().int().nullable().describe('Its chain; null where none is named'),
    signer: z.string().nullable().describe('Who signs'),
    decoded: z
      .array(
        z.object({
          path: z.string().describe('Where it stands'),
          to: z.string().describe('What is called'),
          function: z.string().nullable().describe('Its name; null where it is not known'),
          args: z.record(z.string(), z.string()).describe('Its arguments'),
          value: z.string().describe('Coins that come with it, in wei'),
        }),
      )
      .describe('The calls, those within calls as well; at most 50'),
    grants: z
      .array(
        z.object({
          via: z.string().describe('How'),
          spender: z.string().describe('Who may spend'),
          token: z.string().nullable().describe('What'),
          amount: z.string().describe('How much, in atomic units'),
        }),
      )
      .describe('Leave to spend that it gives; at most 50'),
    checks_run: z.array(z.string().describe('Id of a rule')).describe('Rules that were run'),
    deterministic_verdict: z.string().describe('What the rules say'),
    chain: z
      .object({
        endpoint: z.string().describe('Host of the node that answered'),
        block: z.string().describe('Newest block then'),
        simulation: z
          .object({
            method: z.string().describe('How it was run'),
            ok: z.boolean().describe('It did not fail'),
            changes: z
              .array(
                z.object({
                  token: z.string().nullable().describe('Token; null for the coin of the chain'),
                  delta: z.string().describe('What the signer has more or less, in atomic units'),
                }),
              )
              .describe('What it changes for the signer'),
          })
          .nullable()
          .describe('The dry run; null where it was not made'),
      })
      .nullable()
      .describe('What was read of the chain; null where nothing was'),
  })
  .nullable()
  .describe('Of an on-chain action: what it does; null for other artifacts')

/** Output of every review. */
export const reviewOutput = {
  type: z.literal('structured_review').describe('Form of the answer'),
  verdict: z.enum(['approve', 'approve_with_concerns', 'reject']).describe('What to do'),
  confidence: z.number().min(0).max(1).describe('How much of it could be judged: 0.95 for a blocker'),
  summary: z.string().describe('The worst in a sentence'),
  issues: z
    .array(
      z.object({
        rule: z.string().describe('Id of what was checked'),
        layer: z.enum(layers).describe('What found it; wording is advisory'),
        severity: z.enum(severities).describe('A blocker rejects; high and medium are concerns'),
        category: z.string().describe('Kind of issue'),
        detail: z.string().describe('What was found'),
        suggested_fix: z.string().describe('What to do about it'),
        place: PlaceFields,
      }),
    )
    .describe('What was found, worst first'),
  reversibility_gate: z
    .object({
      triggered: z.boolean().describe('An irreversible action was hardly understood, and is rejected'),
      original_verdict: z.string().describe('The verdict before'),
      confidence: z.number().describe('Confidence'),
      threshold: z.number().describe('Below it irreversible actions are rejected'),
    })
    .describe('Irreversible actions need confidence'),
  engine: z
    .string()
    .describe(
      'The layers that decided, of an approval those that were run: facts, sentences, wording, model',
    ),
  policy_version: z.string().describe('Version of the rules'),
  read_as: z.array(z.string().describe('A way')).describe('Ways in which the artifact was read'),
  checks_run: z
    .array(z.string().describe('A family, or the id of a check'))
    .describe('Families of checks that were run; with list_checks the id of each'),
  not_checked: z.array(z.string().describe('One thing')).describe('What was not looked at'),
  trading_state: z
    .object({
      equity: z.number().describe('Equity'),
      positions: z
        .array(
          z.object({
            symbol: z.string().describe('What is held'),
            size: z.number().describe('How much; negative for a short one'),
            pnl: z.number().describe('Profit or loss'),
          }),
        )
        .describe('At most 50 positions'),
      paused: z.boolean().describe('Trading is paused'),
      regime: z.string().nullable().describe('Regime of the market'),
      at: z.string().describe('As of when'),
    })
    .nullable()
    .describe('The state that a trade was held against; null without'),
  decision_inputs: z
    .object({
      artifact_hash: z.string().describe('SHA-256 of the artifact'),
      artifact_type: z.string().describe('Type'),
      context_hash: z.string().nullable().describe('SHA-256 of the canonical JSON of context and concerns'),
      policy_version: z.string().describe('Version of the rules'),
      source_class: z.string().describe('What made the verdict'),
      verdict: z.string().describe('Verdict'),
      confidence: z.number().describe('Confidence'),
      checked_at: z.string().describe('When'),
      state_hash: z.string().nullable().describe('As it came'),
      artifact_source_hash: z.string().nullable().describe('Hash of artifact_source'),
      external_evidence_hash: z.string().nullable().describe('Hash of external_evidence'),
      related_proof_event: z.string().nullable().describe('As it came'),
      trading_state_hash: z.string().nullable().describe('Hash of the trading state'),
      action_binding_hash: z.string().nullable().describe('Hash of action_binding'),
      intended_audience: z.string().nullable().describe('As it came'),
      intended_verifier: z.string().nullable().describe('As it came'),
      request_capture_ref: z.string().nullable().describe('As it came'),
    })
    .describe('What the decision follows from and holds for'),
  decision_ref: z.string().describe('SHA-256 of the canonical JSON (RFC 8785) of decision_inputs'),
  operation_id: z.string().nullable().describe('Your name for it'),
  onchain_risk: OnchainRisk,
  epistemic_basis: z
    .enum(['evidence_against', 'insufficient_evidence'])
    .nullable()
    .describe('What a rejection follows from; null for what is not rejected'),
  proof: z
    .object({ ...proofOutput, content_sha256: z.string().describe('SHA-256 of the content of the event') })
    .nullable()
    .describe('The verdict as a signed event, entered into the ledger; null with sign: false or dry_run'),
}
