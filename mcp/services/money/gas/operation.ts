import { concatHex, encodePacked, type Hex, hexToBigInt, type LocalAccount, numberToHex, padHex } from 'viem'
import {
  entryPoint08Address,
  getUserOperationHash,
  getUserOperationTypedData,
  toPackedUserOperation,
  type UserOperation,
} from 'viem/account-abstraction'
import { delegationMarker } from './networks.ts'

/** The one EntryPoint that is served, v0.8: at this address on every chain. */
export const entryPoint = entryPoint08Address

/** Code that plain accounts delegate to: Simple7702Account v0.8 of eth-infinitism. */
export const simpleAccount: Hex = '0xe6Cae83BdE06E4c305530e199D7217f42808555B'

/** An operation of EntryPoint v0.8 with all its limits and fees. */
export type SponsoredOperation = {
  sender: Hex
  nonce: bigint
  factory: Hex | undefined
  factoryData: Hex | undefined
  callData: Hex
  callGasLimit: bigint
  verificationGasLimit: bigint
  preVerificationGas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  paymaster: Hex
  paymasterVerificationGasLimit: bigint
  paymasterPostOpGasLimit: bigint
  paymasterData: Hex
  signature: Hex
}

/** The same as wallets send it: numbers in hex, and no field that is empty. */
export type WireOperation = { readonly [field in keyof SponsoredOperation]?: Hex } & {
  sender: Hex
  callData: Hex
}

const isNumber = (value: unknown): value is bigint => typeof value === 'bigint'

export const toWire = (operation: SponsoredOperation): WireOperation =>
  Object.fromEntries(
    Object.entries(operation).flatMap(([field, value]) =>
      value === undefined ? [] : [[field, isNumber(value) ? numberToHex(value) : value]],
    ),
  ) as WireOperation

const bigOf = (value: Hex | undefined): bigint => hexToBigInt(value ?? '0x0')

/** The operation of a record of ours, whose fields are all there. */
export const fromWire = (wire: WireOperation): SponsoredOperation => ({
  sender: wire.sender,
  nonce: bigOf(wire.nonce),
  factory: wire.factory,
  factoryData: wire.factoryData,
  callData: wire.callData,
  callGasLimit: bigOf(wire.callGasLimit),
  verificationGasLimit: bigOf(wire.verificationGasLimit),
  preVerificationGas: bigOf(wire.preVerificationGas),
  maxFeePerGas: bigOf(wire.maxFeePerGas),
  maxPriorityFeePerGas: bigOf(wire.maxPriorityFeePerGas),
  paymaster: wire.paymaster ?? '0x',
  paymasterVerificationGasLimit: bigOf(wire.paymasterVerificationGasLimit),
  paymasterPostOpGasLimit: bigOf(wire.paymasterPostOpGasLimit),
  paymasterData: wire.paymasterData ?? '0x',
  signature: wire.signature ?? '0x',
})

/** As viem hashes it: a delegation with the same transaction is signed as the code that it names. */
const forHash = (operation: SponsoredOperation, delegate: Hex | null): UserOperation<'0.8'> =>
  ({
    ...operation,
    ...(operation.factory === delegationMarker &&
      delegate !== null && { authorization: { address: delegate } }),
  }) as unknown as UserOperation<'0.8'>

export const packOperation = (operation: SponsoredOperation) =>
  toPackedUserOperation(operation as unknown as UserOperation<'0.8'>)

export const operationHash = (operation: SponsoredOperation, delegate: Hex | null, chainId: number): Hex =>
  getUserOperationHash({
    chainId,
    entryPointAddress: entryPoint,
    entryPointVersion: '0.8',
    userOperation: forHash(operation, delegate),
  })

/** Data the owner of the account signs (EIP-712), as JSON has it. */
export const operationTypedData = (operation: SponsoredOperation, delegate: Hex | null, chainId: number) => {
  const { domain, types, primaryType, message } = getUserOperationTypedData({
    chainId,
    entryPointAddress: entryPoint,
    userOperation: forHash(operation, delegate),
  })
  const {
    sender,
    nonce,
    initCode,
    callData,
    accountGasLimits,
    preVerificationGas,
    gasFees,
    paymasterAndData,
  } = message
  return {
    domain: { name: 'ERC4337', version: '1', chainId, verifyingContract: String(domain?.verifyingContract) },
    types: { PackedUserOperation: types.PackedUserOperation.map(field => ({ ...field })) },
    primaryType,
    message: {
      sender,
      nonce: String(nonce),
      initCode,
      callData,
      accountGasLimits,
      preVerificationGas: String(preVerificationGas),
      gasFees,
      paymasterAndData,
    },
  }
}

const field = (type: string, name: string) => ({ type, name })

const sponsorTypes = {
  UserOperationRequest: [
    field('address', 'sender'),
    field('uint256', 'nonce'),
    field('bytes', 'initCode'),
    field('bytes', 'callData'),
    field('bytes32', 'accountGasLimits'),
    field('uint256', 'preVerificationGas'),
    field('bytes32', 'gasFees'),
    field('uint256', 'paymasterVerificationGasLimit'),
    field('uint256', 'paymasterPostOpGasLimit'),
    field('uint48', 'validAfter'),
    field('uint48', 'validUntil'),
  ],
}

/** When the word of the sponsor begins and ends to hold, in Unix seconds. */
export type Validity = { validAfter: number; validUntil: number }

/** The word of the sponsor: who has it may have the operation paid for, as it is and within the time. */
export const signSponsorship = async (
  signer: LocalAccount,
  operation: SponsoredOperation,
  { validAfter, validUntil }: Validity,
  chainId: number,
): Promise<SponsoredOperation> => {
  const { sender, nonce, initCode, callData, accountGasLimits, preVerificationGas, gasFees } =
    packOperation(operation)
  const { paymaster, paymasterVerificationGasLimit, paymasterPostOpGasLimit } = operation
  const signature = await signer.signTypedData({
    domain: { name: 'GasSponsor', version: '1', chainId, verifyingContract: paymaster },
    types: sponsorTypes,
    primaryType: 'UserOperationRequest',
    message: {
      sender,
      nonce,
      initCode,
      callData,
      accountGasLimits,
      preVerificationGas,
      gasFees,
      paymasterVerificationGasLimit,
      paymasterPostOpGasLimit,
      validAfter,
      validUntil,
    },
  })
  const times = encodePacked(['uint48', 'uint48'], [validAfter, validUntil])
  return { ...operation, paymasterData: concatHex([times, signature]) }
}

/** Stand-in for the sponsor's word until it is paid for: as long, and worth nothing. */
export const stubPaymasterData: Hex = concatHex([
  encodePacked(['uint48', 'uint48'], [0, 0xffffffffffff]),
  padHex('0x1b', { size: 65, dir: 'left' }),
])

/** A signature of the right form by nobody, which accounts of one key answer as a wrong one. */
export const stubSignature: Hex =
  '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'
