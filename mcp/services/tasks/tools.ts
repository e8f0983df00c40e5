import type { AnyTool } from '../../kernel/tool.ts'
import abandonTask from './abandon-task.ts'
import answerQuestion from './answer-question.ts'
import applyToTask from './apply-to-task.ts'
import approveSubmission from './approve-submission.ts'
import askQuestion from './ask-question.ts'
import assignWorker from './assign-worker.ts'
import availableDisputes from './available-disputes.ts'
import batchCreateTasks from './batch-create-tasks.ts'
import blockWorker from './block-worker.ts'
import calculateFee from './calculate-fee.ts'
import cancelTask from './cancel-task.ts'
import checkIdentity from './check-identity.ts'
import closeSession from './close-session.ts'
import depositFunds from './deposit-funds.ts'
import evidenceTypes from './evidence-types.ts'
import getBalance from './get-balance.ts'
import getDispute from './get-dispute.ts'
import getFeedback from './get-feedback.ts'
import getHistory from './get-history.ts'
import getReputation from './get-reputation.ts'
import getSession from './get-session.ts'
import getSubmission from './get-submission.ts'
import getTask from './get-task.ts'
import getWorker from './get-worker.ts'
import grantBadge from './grant-badge.ts'
import leaderboard from './leaderboard.ts'
import listApplications from './list-applications.ts'
import listDisputes from './list-disputes.ts'
import listMyApplications from './list-my-applications.ts'
import listQuestions from './list-questions.ts'
import listSessions from './list-sessions.ts'
import listSubmissions from './list-submissions.ts'
import listTasks from './list-tasks.ts'
import listWithdrawals from './list-withdrawals.ts'
import makeKey from './make-key.ts'
import makeNonce from './make-nonce.ts'
import openDispute from './open-dispute.ts'
import openSession from './open-session.ts'
import payDeliverable from './pay-deliverable.ts'
import presignDownload from './presign-download.ts'
import presignUpload from './presign-upload.ts'
import publishFeedback from './publish-feedback.ts'
import publishTask from './publish-task.ts'
import quoteSession from './quote-session.ts'
import ratePublisher from './rate-publisher.ts'
import rateWorker from './rate-worker.ts'
import readConfig from './read-config.ts'
import readVersion from './read-version.ts'
import reclaimEscrow from './reclaim-escrow.ts'
import reclaimSession from './reclaim-session.ts'
import registerIdentity from './register-identity.ts'
import registerWorker from './register-worker.ts'
import rejectSubmission from './reject-submission.ts'
import releasePayment from './release-payment.ts'
import requestMoreInfo from './request-more-info.ts'
import resolveDispute from './resolve-dispute.ts'
import searchTasks from './search-tasks.ts'
import sendBonus from './send-bonus.ts'
import sendVoucher from './send-voucher.ts'
import signaturePolicy from './signature-policy.ts'
import startWork from './start-work.ts'
import submitWork from './submit-work.ts'
import taskAnalytics from './task-analytics.ts'
import taskPayment from './task-payment.ts'
import topUpSession from './top-up-session.ts'
import updateTask from './update-task.ts'
import verifyEvidence from './verify-evidence.ts'
import verifyHistory from './verify-history.ts'
import withdrawApplication from './withdraw-application.ts'
import withdrawFunds from './withdraw-funds.ts'
import workerTasks from './worker-tasks.ts'

/** Every tool of the marketplace, in the order in which a task meets them. */
export const tools: readonly AnyTool[] = [
  publishTask,
  batchCreateTasks,
  searchTasks,
  listTasks,
  getTask,
  getHistory,
  verifyHistory,
  updateTask,
  cancelTask,
  registerWorker,
  getWorker,
  workerTasks,
  leaderboard,
  blockWorker,
  grantBadge,
  applyToTask,
  withdrawApplication,
  listMyApplications,
  listApplications,
  askQuestion,
  answerQuestion,
  listQuestions,
  assignWorker,
  startWork,
  presignUpload,
  submitWork,
  abandonTask,
  listSubmissions,
  getSubmission,
  presignDownload,
  verifyEvidence,
  approveSubmission,
  requestMoreInfo,
  rejectSubmission,
  openDispute,
  listDisputes,
  availableDisputes,
  getDispute,
  resolveDispute,
  rateWorker,
  ratePublisher,
  getReputation,
  checkIdentity,
  registerIdentity,
  publishFeedback,
  getFeedback,
  calculateFee,
  depositFunds,
  getBalance,
  taskPayment,
  releasePayment,
  payDeliverable,
  reclaimEscrow,
  sendBonus,
  withdrawFunds,
  listWithdrawals,
  quoteSession,
  openSession,
  sendVoucher,
  topUpSession,
  getSession,
  listSessions,
  closeSession,
  reclaimSession,
  taskAnalytics,
  evidenceTypes,
  makeKey,
  makeNonce,
  signaturePolicy,
  readConfig,
  readVersion,
]
