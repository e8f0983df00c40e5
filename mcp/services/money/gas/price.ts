/** Least price of each sponsored operation: 0.03 USDC in the smallest unit. */
export const minPrice = 30_000n

/** 1.3, for what moves between the quote and the block. */
const margin = { numerator: 13n, denominator: 10n }

const divideUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor

/** Limits and fee that an operation's cost is bound by. */
export type GasLimits = {
  callGasLimit: bigint
  verificationGasLimit: bigint
  preVerificationGas: bigint
  paymasterVerificationGasLimit: bigint
  paymasterPostOpGasLimit: bigint
  maxFeePerGas: bigint
}

/** The most that an operation can cost, in wei: all its limits at its highest fee. */
export const capInWei = ({
  callGasLimit,
  verificationGasLimit,
  preVerificationGas,
  paymasterVerificationGasLimit,
  paymasterPostOpGasLimit,
  maxFeePerGas,
}: GasLimits): bigint =>
  (callGasLimit +
    verificationGasLimit +
    preVerificationGas +
    paymasterVerificationGasLimit +
    paymasterPostOpGasLimit) *
  maxFeePerGas

/** Dollars for one coin: `answer` with so many `decimals`, as a feed has it. */
export type CoinPrice = { answer: bigint; decimals: number }

/** Wei in USDC, in the smallest unit, rounded up. */
export const weiToUsdc = (wei: bigint, { answer, decimals }: CoinPrice): bigint =>
  divideUp(wei * answer * 10n ** 6n, 10n ** BigInt(18 + decimals))

/** max(0.03, 1.3 × cap) in USDC, in the smallest unit; rounded up once, at the end. */
export const priceForCap = (wei: bigint, { answer, decimals }: CoinPrice): bigint => {
  const price = divideUp(
    wei * answer * 10n ** 6n * margin.numerator,
    10n ** BigInt(18 + decimals) * margin.denominator,
  )
  return price > minPrice ? price : minPrice
}
