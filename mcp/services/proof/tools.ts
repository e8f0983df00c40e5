import type { AnyTool } from '../../kernel/tool.ts'
import checkLedgerConsistency from './check-ledger-consistency.ts'
import getLedgerEntry from './get-ledger-entry.ts'
import getProof from './get-proof.ts'
import knownBad from './known-bad.ts'
import listVerifierKeys from './list-verifier-keys.ts'
import prove from './prove.ts'
import readLedger from './read-ledger.ts'
import revealProof from './reveal-proof.ts'
import review from './review.ts'
import submitToLedger from './submit-to-ledger.ts'
import validate from './validate.ts'
import verifyProof from './verify-proof.ts'
import witness from './witness.ts'

/** The tools that are finished. The service lists them once its first half is whole. */
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
  knownBad,
  validate,
]
