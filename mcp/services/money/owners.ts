import { settings } from '../../kernel/setting.ts'
import { list } from '../../lib/setting-texts.ts'

type Hex = `0x${string}`

/** Who may own contracts of the bridge and of gas: whoever does lets relayers in, changes the signer and takes the deposit. */
export const ownerSettings = settings({
  contractOwners: {
    variable: 'MONEY_CONTRACT_OWNERS',
    schema: list
      .refine(owners => owners.every(owner => /^0x[0-9a-fA-F]{40}$/.test(owner)), 'EVM addresses with commas')
      .transform(owners => owners as Hex[]),
    description:
      'Accounts that may own the lanes of the bridge and the sponsor of gas; a contract with another owner is off. `octagent deploy` prints it. Default: any account.',
    default: '',
    example: '0x00000000000000000000000000000000000000f1',
  },
})

/** True for an owner that the operator named, or any where none is named. */
export const isPermittedOwner = (owners: readonly Hex[], owner: Hex): boolean =>
  owners.length === 0 || owners.some(each => each.toLowerCase() === owner.toLowerCase())

/** The setting with one more owner, as `octagent deploy` prints it. */
export const withOwner = (config: Readonly<Record<string, unknown>>, owner: Hex): Record<string, string> => {
  const { variable } = ownerSettings.contractOwners
  const before = (config[variable] as readonly Hex[] | undefined) ?? []
  const isNew = before.length === 0 || !isPermittedOwner(before, owner)
  return { [variable]: (isNew ? [...before, owner] : before).join(',') }
}
