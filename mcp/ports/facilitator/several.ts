import type { PaymentPayload, PaymentRequirements, SupportedResponse, VerifyResponse } from '@x402/core/types'
import type { RemoteFacilitator } from './remote.ts'

/** Outcome of a settlement, and the facilitator that says so. */
export type SettledElsewhere = {
  success: boolean
  errorReason?: string | undefined
  transaction: string
  facilitator?: string
}

/** Facilitators in order of preference, as one. */
export type Facilitators = {
  verify(payload: PaymentPayload, asked: PaymentRequirements): Promise<VerifyResponse>
  settle(payload: PaymentPayload, asked: PaymentRequirements): Promise<SettledElsewhere>
  /** Lists what each supports, or why it does not say. */
  supported(): Promise<{ name: string; answer: SupportedResponse | Error }[]>
}

type Options = {
  /** True when a refusal says more of the facilitator than of the payment: another one is asked then. */
  isVague(reason: string | undefined): boolean
  /** Which of them can take a payment; by default each. */
  takes?(name: string, asked: PaymentRequirements): boolean
  now: () => Date
}

const restMs = 30_000

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/**
 * Asks the next facilitator where one does not answer, or does not say what is wrong. To hand a payment to a second one is safe
 * where the chain takes it once, and only such payments come here. One that failed comes last for half a minute.
 */
export const joinFacilitators = (
  remotes: readonly RemoteFacilitator[],
  { isVague, takes = () => true, now }: Options,
): Facilitators => {
  const restsUntil = new Map<string, number>()

  const inOrder = (asked: PaymentRequirements): RemoteFacilitator[] => {
    const rests = ({ name }: RemoteFacilitator) => ((restsUntil.get(name) ?? 0) > now().getTime() ? 1 : 0)
    return remotes.filter(({ name }) => takes(name, asked)).sort((one, other) => rests(one) - rests(other))
  }

  const rest = ({ name }: RemoteFacilitator) => restsUntil.set(name, now().getTime() + restMs)

  return {
    verify: async (payload, asked) => {
      let last: VerifyResponse | undefined
      let failure: unknown
      for (const remote of inOrder(asked)) {
        try {
          last = await remote.verify(payload, asked)
          if (last.isValid || !isVague(last.invalidReason)) return last
        } catch (error) {
          rest(remote)
          failure = error
        }
      }
      if (last) return last
      throw failure ?? new Error('no facilitator takes this payment')
    },
    settle: async (payload, asked) => {
      let last: SettledElsewhere | undefined
      let failure: unknown
      for (const remote of inOrder(asked)) {
        try {
          const { success, errorReason, transaction } = await remote.settle(payload, asked)
          const answer = { success, errorReason, transaction, facilitator: remote.name }
          if (success || transaction !== '' || !isVague(errorReason)) return answer
          last ??= answer
        } catch (error) {
          rest(remote)
          failure = error
        }
      }
      // One that did not answer may have taken it, whatever another says.
      if (failure !== undefined || !last) throw failure ?? new Error('no facilitator takes this payment')
      return last
    },
    supported: () =>
      Promise.all(
        remotes.map(async ({ name, getSupported }) => ({
          name,
          answer: await getSupported().catch(toError),
        })),
      ),
  }
}
