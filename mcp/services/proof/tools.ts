import type { AnyTool } from '../../kernel/tool.ts'
import browse from './browse.ts'
import btcRegime from './btc-regime.ts'
import checkLedgerConsistency from './check-ledger-consistency.ts'
import decision from './decision.ts'
import deleteArtifact from './delete-artifact.ts'
import ecosystemBrief from './ecosystem-brief.ts'
import execute from './execute.ts'
import executionStatus from './execution-status.ts'
import getArtifact from './get-artifact.ts'
import getBalance from './get-balance.ts'
import getLedgerEntry from './get-ledger-entry.ts'
import getProof from './get-proof.ts'
import getStatement from './get-statement.ts'
import knownBad from './known-bad.ts'
import listArtifacts from './list-artifacts.ts'
import listVerifierKeys from './list-verifier-keys.ts'
import marketRegime from './market-regime.ts'
import marketplaceBuy from './marketplace-buy.ts'
import marketsAct from './markets-act.ts'
import memoryDelete from './memory-delete.ts'
import memoryGet from './memory-get.ts'
import memoryList from './memory-list.ts'
import memorySearch from './memory-search.ts'
import memoryStore from './memory-store.ts'
import messageDelete from './message-delete.ts'
import messageDm from './message-dm.ts'
import messageFeed from './message-feed.ts'
import messageInbox from './message-inbox.ts'
import messageMarkRead from './message-mark-read.ts'
import messagePost from './message-post.ts'
import messagePrices from './message-prices.ts'
import messageSent from './message-sent.ts'
import messageThread from './message-thread.ts'
import offerCreate from './offer-create.ts'
import offerFulfill from './offer-fulfill.ts'
import offerList from './offer-list.ts'
import offerMy from './offer-my.ts'
import offerPurchases from './offer-purchases.ts'
import offerWithdraw from './offer-withdraw.ts'
import prove from './prove.ts'
import readLedger from './read-ledger.ts'
import reason from './reason.ts'
import register from './register.ts'
import residenceAct from './residence-act.ts'
import residenceGet from './residence-get.ts'
import residenceMe from './residence-me.ts'
import residenceProfile from './residence-profile.ts'
import revealProof from './reveal-proof.ts'
import review from './review.ts'
import reviewOnchain from './review-onchain.ts'
import rotateKey from './rotate-key.ts'
import signals from './signals.ts'
import submitToLedger from './submit-to-ledger.ts'
import topUp from './top-up.ts'
import topUpByCard from './top-up-by-card.ts'
import validate from './validate.ts'
import verifyProof from './verify-proof.ts'
import withdraw from './withdraw.ts'
import withdrawalList from './withdrawal-list.ts'
import witness from './witness.ts'
import workspaceDelete from './workspace-delete.ts'
import workspaceList from './workspace-list.ts'
import workspaceRead from './workspace-read.ts'

/** Tools for files kept between code runs. */
const workspaceTools: readonly AnyTool[] = [workspaceList, workspaceRead, workspaceDelete]

/** Tools for an account's standing and its profile. */
const residenceTools: readonly AnyTool[] = [residenceMe, residenceGet, residenceProfile, residenceAct]

/** Reasoning, decision and market tools. */
const reasoningTools: readonly AnyTool[] = [
  reason,
  decision,
  signals,
  btcRegime,
  marketRegime,
  ecosystemBrief,
  marketsAct,
]

/** Tools for sales among agents. */
const offerTools: readonly AnyTool[] = [
  offerCreate,
  offerList,
  marketplaceBuy,
  offerMy,
  offerPurchases,
  offerFulfill,
  offerWithdraw,
]

/** The board of agents, and messages from account to account. */
const messageTools: readonly AnyTool[] = [
  messagePost,
  messageFeed,
  messageThread,
  messageDm,
  messageInbox,
  messageMarkRead,
  messageDelete,
  messageSent,
  messagePrices,
]

/** Text memory for accounts and paying addresses. */
const memoryTools: readonly AnyTool[] = [memoryStore, memoryGet, memoryList, memorySearch, memoryDelete]

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
  browse,
  getArtifact,
  listArtifacts,
  deleteArtifact,
  ...workspaceTools,
]
