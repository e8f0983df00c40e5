import { type Hex, toFunctionSelector } from 'viem'

const signatures = [
  'transfer(address,uint256)',
  'transferFrom(address,address,uint256)',
  'approve(address,uint256)',
  'increaseAllowance(address,uint256)',
  'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'safeTransferFrom(address,address,uint256)',
  'safeTransferFrom(address,address,uint256,bytes)',
  'safeTransferFrom(address,address,uint256,uint256,bytes)',
  'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
  'setApprovalForAll(address,bool)',
  'mint(address,uint256)',
  'mint(uint256)',
  'burn(uint256)',
  'deposit()',
  'deposit(uint256,address)',
  'withdraw(uint256)',
  'claim()',
  'stake(uint256)',
  'multicall(bytes[])',
  'multicall(uint256,bytes[])',
  'aggregate3((address,bool,bytes)[])',
  'execute(bytes,bytes[],uint256)',
  'execute(bytes,bytes[])',
  'execute(address,uint256,bytes)',
  'executeBatch((address,uint256,bytes)[])',
  'execute(bytes32,bytes)',
  'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
  'handleOps((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address)',
  'handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)',
  'swapExactTokensForTokens(uint256,uint256,address[],address,uint256)',
  'swapExactETHForTokens(uint256,address[],address,uint256)',
  'swapExactTokensForETH(uint256,uint256,address[],address,uint256)',
  'exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))',
  'upgradeTo(address)',
  'upgradeToAndCall(address,bytes)',
]

const names = new Map(
  signatures.map(signature => [toFunctionSelector(signature), signature.replace(/\(.*/, '')]),
)

/** The method that a call asks for: its name where many contracts have it, and its selector. Null without call data. */
export const findMethod = (input: Hex): { name: string | null; id: Hex } | null => {
  if (input.length < 10) return null
  const id = input.slice(0, 10).toLowerCase() as Hex
  return { id, name: names.get(id) ?? null }
}
