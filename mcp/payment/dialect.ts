import type { PaymentParts } from '../kernel/error.ts'
import type { PaymentEvidence } from '../kernel/http.ts'
import type { Charge } from './charge.ts'
import type { Attempt, Offer, Refusal } from './method.ts'

/** A payment that came and cannot be read; `where` names the header or field that held it. */
export type Unreadable = { unreadable: string }

/** A wire that payments are asked for and come in on. It frames offers by their kind and moves nothing. */
export type Dialect = {
  id: string
  /** What it adds to the refusal of a call. `reason` tells why a payment was not taken. */
  ask(offers: readonly Offer[], charge: Charge, reason?: Refusal): PaymentParts
  /** The payment in what came with a call; undefined when there is none of this dialect. */
  read(evidence: PaymentEvidence): Attempt | Unreadable | undefined
  /** How it tells what became of a payment: settled, pending or refused. */
  report(payment: Readonly<Record<string, unknown>>): PaymentParts
}

/** The parts of all dialects as one: objects are joined, challenges follow each other in the order of the dialects. */
export const mergeParts = (parts: readonly PaymentParts[]): PaymentParts => {
  const merged: PaymentParts = {}
  for (const part of parts) {
    for (const name of ['headers', 'body', 'structured', 'meta', 'a2a'] as const)
      if (part[name]) merged[name] = { ...merged[name], ...part[name] } as never
    if (part.challenges) merged.challenges = [...(merged.challenges ?? []), ...part.challenges]
  }
  return merged
}
