import type { AnyTool } from '../../kernel/tool.ts'
import { browseTools } from './browse-parts.ts'
import checkLedgerConsistency from './check-ledger-consistency.ts'
import execute from './execute.ts'
import executionStatus from './execution-status.ts'
import getBalance from './get-balance.ts'
import getLedgerEntry from './get-ledger-entry.ts'
import getProof from './get-proof.ts'
import getStatement from './get-statement.ts'
import knownBad from './known-bad.ts'
import listVerifierKeys from './list-verifier-keys.ts'
import { memoryTools } from './memory-tools.ts'
import { messageTools } from './message-tools.ts'
import { offerTools } from './offer-tools.ts'
import prove from './prove.ts'
import readLedger from './read-ledger.ts'
import { reasoningTools } from './reasoning-tools.ts'
import register from './register.ts'
import { residenceTools } from './residence-tools.ts'
import revealProof from './reveal-proof.ts'
import review from './review.ts'
import reviewOnchain from './review-onchain.ts'
import rotateKey from './rotate-key.ts'
import submitToLedger from './submit-to-ledger.ts'
import topUp from './top-up.ts'
import topUpByCard from './top-up-by-card.ts'
import validate from './validate.ts'
import verifyProof from './verify-proof.ts'
import withdraw from './withdraw.ts'
import withdrawalList from './withdrawal-list.ts'
import witness from './witness.ts'
import { workspaceTools } from './workspace-tools.ts'

/** Tools of the service. */
export const tools: readonly AnyTool[] = [
  prove,
  revealProof,
  witness,
  verifyProof,
  getProof,
  readLedger,
  getLedgerEntry,
  checkLedgerConsistency,
  submitToLedger,
  listVerifierKeys,
  review,
  reviewOnchain,
  knownBad,
  validate,
  ...reasoningTools,
  ...memoryTools,
  ...messageTools,
  ...offerTools,
  ...residenceTools,
  register,
  getBalance,
  getStatement,
  rotateKey,
  topUp,
  topUpByCard,
  withdraw,
  withdrawalList,
  execute,
  executionStatus,
  ...browseTools,
  ...workspaceTools,
]
