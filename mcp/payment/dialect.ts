import type { PaymentParts } from '../kernel/error.ts'
import type { PaymentEvidence } from '../kernel/http.ts'
import type { Charge } from './charge.ts'
import type { Attempt, Offer, Refusal } from './method.ts'

/** A payment that came and cannot be read; `unreadable` names the header or field that held it, `detail` what is wrong. */
export type Unreadable = { unreadable: string; detail?: string }

/** Subject of a report beside the payment: the attempt, if one could be read, and when its record began (ISO 8601). */
export type Reported = { attempt?: Attempt; at?: string }

/** A wire that payments are asked for and come in on. It frames offers by their kind and moves nothing. */
export type Dialect = {
  id: string
  /** Members of MCP `_meta` or A2A metadata that hold its payments, which are never stored. */
  members?: readonly string[]
  /** Extensions of MCP that it speaks. */
  extensions?: readonly string[]
  /** Its part in the refusal of a call. `reason` tells why a payment was not taken. */
  ask(offers: readonly Offer[], charge: Charge, reason?: Refusal): PaymentParts
  /** Every payment of this dialect in what came with a call. */
  read(evidence: PaymentEvidence): readonly (Attempt | Unreadable)[]
  /** How it tells what became of a payment: settled, pending or refused. */
  report(payment: Readonly<Record<string, unknown>>, about?: Reported): PaymentParts
}

/** The parts of all dialects as one: objects are joined, challenges follow each other in the order of the dialects. */
export const mergeParts = (parts: readonly PaymentParts[]): PaymentParts => {
  const merged: PaymentParts = {}
  for (const part of parts) {
    for (const name of ['headers', 'body', 'structured', 'result', 'meta', 'a2a'] as const)
      if (part[name]) merged[name] = { ...merged[name], ...part[name] } as never
    if (part.challenges) merged.challenges = [...(merged.challenges ?? []), ...part.challenges]
  }
  return merged
}
