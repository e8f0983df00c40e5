import type { Turn } from '../scheduler/port.ts'

/** Reply of VIES on a VAT number; null where the country tells nothing. */
export type ViesAnswer = {
  valid: boolean
  name: string | null
  address: string | null
  requestDate: string | null
  consultationNumber: string | null
}

/** The EU's registry of VAT numbers. */
export type Vies = {
  /**
   * Asks about a number without its prefix, such as `BE` and `0403170701`. Throws `upstream` whenever there is no verdict,
   * retryable unless VIES cannot read the number. `source` is the address that was asked. With a `requester`, who asks, the
   * answer has a consultation number; VIES refusing it is `invalid_input` on the field `requester`.
   */
  check(
    country: string,
    number: string,
    options?: { signal?: AbortSignal; requester?: { country: string; number: string } },
  ): Promise<ViesAnswer & { source: string }>
  /** The same on behalf of one call, in whose name requests are sent. */
  forCall?(turn: Partial<Turn>): Vies
}
