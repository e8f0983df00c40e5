import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** SHA-256 of a text, in hexadecimal. */
export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

/** SHA-256 of the canonical JSON (RFC 8785) of a value. */
export const hashJson = (value: unknown): string => sha256(canonicalize(value) ?? 'null')

/** Everything that a verdict follows from and holds for; what is absent is null. */
export type DecisionInputs = {
  artifact_hash: string
  artifact_type: string
  context_hash: string | null
  policy_version: string
  source_class: string
  verdict: string
  confidence: number
  checked_at: string
  state_hash: string | null
  artifact_source_hash: string | null
  external_evidence_hash: string | null
  related_proof_event: string | null
  trading_state_hash: string | null
  action_binding_hash: string | null
  intended_audience: string | null
  intended_verifier: string | null
  request_capture_ref: string | null
}

/** The name of a decision: the hash of its inputs, which anybody recomputes. */
export const toDecisionRef = (inputs: DecisionInputs): string => hashJson(inputs)
