import type { Service } from '../../kernel/service.ts'
import { keyPrefix } from './account/account.ts'
import { identifyAccount } from './account/caller.ts'
import cardReturn from './account/card-return.ts'
import { expireAccounts } from './account/expire.ts'
import { linkAccount } from './account/link.ts'
import { prepaid } from './account/prepaid.ts'
import statementCsv from './account/statement-csv.ts'
import { balanceUnit } from './account/wallet.ts'
import { countPaidCall } from './residence/count-paid.ts'
import { sweepWorkspaces } from './workspace/sweep.ts'

/** Parts that accounts add to the service beside their tools; the service takes both in together. */
export const accountParts = {
  identify: { bearer: identifyAccount },
  link: linkAccount,
  book: { unit: balanceUnit, prefix: keyPrefix },
  prepaid,
  onPaid: countPaidCall,
  endpoints: [statementCsv],
  documents: [cardReturn],
  jobs: [expireAccounts, sweepWorkspaces],
} satisfies Pick<
  Service,
  'identify' | 'link' | 'book' | 'prepaid' | 'onPaid' | 'endpoints' | 'documents' | 'jobs'
>
