import type { AnyTool } from '../../kernel/tool.ts'
import abandonTask from './abandon-task.ts'
import applyToTask from './apply-to-task.ts'
import approveSubmission from './approve-submission.ts'
import assignWorker from './assign-worker.ts'
import batchCreateTasks from './batch-create-tasks.ts'
import calculateFee from './calculate-fee.ts'
import cancelTask from './cancel-task.ts'
import depositFunds from './deposit-funds.ts'
import evidenceTypes from './evidence-types.ts'
import getBalance from './get-balance.ts'
import getDispute from './get-dispute.ts'
import getHistory from './get-history.ts'
import getSubmission from './get-submission.ts'
import getTask from './get-task.ts'
import getWorker from './get-worker.ts'
import leaderboard from './leaderboard.ts'
import listApplications from './list-applications.ts'
import listDisputes from './list-disputes.ts'
import listSubmissions from './list-submissions.ts'
import listTasks from './list-tasks.ts'
import listWithdrawals from './list-withdrawals.ts'
import makeKey from './make-key.ts'
import openDispute from './open-dispute.ts'
import publishTask from './publish-task.ts'
import ratePublisher from './rate-publisher.ts'
import rateWorker from './rate-worker.ts'
import registerWorker from './register-worker.ts'
import rejectSubmission from './reject-submission.ts'
import releasePayment from './release-payment.ts'
import requestMoreInfo from './request-more-info.ts'
import resolveDispute from './resolve-dispute.ts'
import searchTasks from './search-tasks.ts'
import sendBonus from './send-bonus.ts'
import startWork from './start-work.ts'
import submitWork from './submit-work.ts'
import taskAnalytics from './task-analytics.ts'
import taskPayment from './task-payment.ts'
import verifyHistory from './verify-history.ts'
import withdrawApplication from './withdraw-application.ts'
import withdrawFunds from './withdraw-funds.ts'

/** The tools that are finished. The service lists them once a task can be done over every one of its interfaces. */
export const tools: readonly AnyTool[] = [
  publishTask,
  batchCreateTasks,
  searchTasks,
  listTasks,
  getTask,
  getHistory,
  verifyHistory,
  cancelTask,
  registerWorker,
  getWorker,
  leaderboard,
  applyToTask,
  withdrawApplication,
  listApplications,
  assignWorker,
  startWork,
  submitWork,
  abandonTask,
  listSubmissions,
  getSubmission,
  approveSubmission,
  requestMoreInfo,
  rejectSubmission,
  openDispute,
  listDisputes,
  getDispute,
  resolveDispute,
  rateWorker,
  ratePublisher,
  calculateFee,
  depositFunds,
  getBalance,
  taskPayment,
  releasePayment,
  sendBonus,
  withdrawFunds,
  listWithdrawals,
  taskAnalytics,
  evidenceTypes,
  makeKey,
]
