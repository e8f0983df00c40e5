import { concatHex, getCreate2Address, type Hex, sliceHex, zeroHash } from 'viem'

/** Deploys what it is sent at an address that follows from it alone; it is on every chain, and on anvil from its start. */
export const deployer: Hex = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

/** Code of a compiled contract; `runtime` says which end of it stays on the chain, and where 32 bytes each are filled in. */
export type ContractCode = {
  bytecode: Hex
  runtime: { length: number; immutables: readonly number[] }
}

/** The address of what `initCode` deploys, whoever sends it. */
export const addressOf = (initCode: Hex): Hex =>
  getCreate2Address({ from: deployer, salt: zeroHash, bytecode: initCode })

/** The call that deploys; a second one is refused by the chain. */
export const deployCall = (initCode: Hex): { to: Hex; data: Hex } => ({
  to: deployer,
  data: concatHex([zeroHash, initCode]),
})

/** True when the code at an address is that of a contract, whatever its constructor was told. */
export const isCodeOf = ({ bytecode, runtime }: ContractCode, code: Hex | undefined): boolean => {
  const { length, immutables } = runtime
  if (code === undefined || (code.length - 2) / 2 !== length) return false
  const masked = (text: string) =>
    immutables.reduce((rest, at) => rest.slice(0, at * 2) + zeroHash.slice(2) + rest.slice(at * 2 + 64), text)
  const own = sliceHex(bytecode, (bytecode.length - 2) / 2 - length).slice(2)
  return masked(code.slice(2).toLowerCase()) === own
}
