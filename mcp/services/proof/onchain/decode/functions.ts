import {
  type AbiParameter,
  type DecodeAbiParametersReturnType,
  type ParseAbiParameters,
  parseAbiParameters,
  toFunctionSelector,
} from 'viem'
import type { Address, Hex } from '../action.ts'
import type { Call, Grant, Scene, ScenePayment, Trade } from '../scene.ts'

export type Reading = {
  scene: Scene
  /** Follows a call that this one makes. */
  follow(
    call: { to: string; data: Hex; value: bigint; from: Address | undefined; path: string },
    by: Call,
  ): void
  mention(address: string, role: string, path: string): Address
  grant(
    grant: Omit<Grant, 'spender' | 'unlimitedFrom' | 'by'> & { spender: string } & Partial<
        Pick<Grant, 'unlimitedFrom' | 'by'>
      >,
  ): void
  pay(
    payment: Omit<ScenePayment, 'to' | 'by' | 'isNft'> & { to: string } & Partial<
        Pick<ScenePayment, 'by' | 'isNft'>
      >,
  ): void
  trade(trade: Partial<Trade> & Pick<Trade, 'router' | 'path'>): void
}

/** A function that is understood: what it takes, and what it means for who calls it. */
export type KnownFunction = {
  name: string
  selector: string
  inputs: readonly AbiParameter[]
  read(args: readonly unknown[], call: Call, reading: Reading): void
}

type Args<params extends string> =
  ParseAbiParameters<params> extends infer inputs extends readonly AbiParameter[]
    ? DecodeAbiParametersReturnType<inputs>
    : never

type Read<params extends string> = (args: Args<params>, call: Call, reading: Reading) => void

/** Declares a function by its signature. */
export const knownFunction = <const params extends string>(
  name: string,
  params: params,
  read: Read<params>,
): KnownFunction => ({
  name,
  selector: toFunctionSelector(`function ${name}(${params})`),
  inputs: parseAbiParameters(params as string) as readonly AbiParameter[],
  read: read as unknown as KnownFunction['read'],
})

/** One that takes nothing. */
export const knownPlain = (
  name: string,
  read: (call: Call, reading: Reading) => void = () => undefined,
): KnownFunction => ({
  name,
  selector: toFunctionSelector(`function ${name}()`),
  inputs: [],
  read: (_, call, reading) => read(call, reading),
})
