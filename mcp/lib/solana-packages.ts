import { ToolError } from '../kernel/error.ts'

const fail = (): never => {
  throw new ToolError('unavailable', 'There is no Solana here: its packages are not installed.', {
    hint: 'They are optional: install octagent again without --omit=optional.',
  })
}

/** Loads `@solana/kit`, an optional package. Throws `unavailable` where it is not installed. */
export const loadSolanaKit = (): Promise<typeof import('@solana/kit')> => import('@solana/kit').catch(fail)

/** Loads `@solana-program/token`, an optional package. Throws `unavailable` where it is not installed. */
export const loadTokenProgram = (): Promise<typeof import('@solana-program/token')> =>
  import('@solana-program/token').catch(fail)

/** Loads `@x402/svm`, an optional package. Throws `unavailable` where it is not installed. */
export const loadX402Svm = (): Promise<typeof import('@x402/svm')> => import('@x402/svm').catch(fail)
