import { checkPayment, lookForMoved, recordMoved, recordPayment } from './new-payment.ts'
import type { PaymentEvent, PaymentRun, RunState, Step } from './payment-run.ts'
import type { PaymentRow } from './record.ts'
import {
  awaitOther,
  findMoney,
  giveAnswer,
  holdRecord,
  moveMoney,
  recordFound,
  refuseGivenBack,
  refuseLost,
  refuseOwnGivenBack,
  repeatAnswer,
  runWork,
  verifyAgain,
  workAgain,
} from './resume.ts'
import { findStray, holdStray, judgeAgain, judgeStray } from './stray.ts'

type Type = PaymentEvent['type']

/** What an event comes to in a state; `row` is the record, which every state but `new` has. */
export type Transition<T extends Type> = (
  run: PaymentRun,
  row: PaymentRow,
  event: Extract<PaymentEvent, { type: T }>,
) => Promise<Step>

type Transitions = { [S in RunState]: { [T in Type]?: Transition<T> } }

/** No record, or one that moved no money. */
const unrecorded = {
  sent: checkPayment,
  verified: recordPayment,
  refused: lookForMoved,
  moved: recordMoved,
}

/** The money is not here, as far as the record knows. */
const unsettled = {
  sent: holdRecord,
  busy: awaitOther,
  held: findMoney,
  unused: verifyAgain,
  movable: moveMoney,
  settled: recordFound,
  pending: recordFound,
  failed: recordFound,
  unknown: recordFound,
}

/** The money is here, and the work is not done. */
const unserved = { sent: holdRecord, busy: awaitOther, held: workAgain }

/** What becomes of a payment for a call, by the state of its record and what happens. A cell that is not here cannot be reached. */
export const transitions: Transitions = {
  new: unrecorded,
  failed: unrecorded,
  reserved: unsettled,
  pending: unsettled,
  paid: { ...unserved, collected: runWork },
  owed: unserved,
  done: { sent: repeatAnswer, busy: awaitOther, collected: giveAnswer },
  refunding: { sent: refuseOwnGivenBack, held: refuseGivenBack, busy: awaitOther },
  refunded: { sent: refuseOwnGivenBack, busy: awaitOther },
  lost: { sent: refuseLost, busy: awaitOther },
}

const strayUnsettled = {
  sent: holdStray,
  held: findStray,
  settled: recordFound,
  pending: recordFound,
  failed: recordFound,
  unused: recordFound,
  unknown: recordFound,
}

const strayUnserved = { sent: holdStray, held: judgeAgain }

/** The same for money that came for no call that it was signed for: it serves that call alone, and is else owed to who paid. */
export const strayTransitions: Transitions = {
  new: unrecorded,
  failed: unrecorded,
  reserved: strayUnsettled,
  pending: strayUnsettled,
  paid: { ...strayUnserved, collected: judgeStray },
  owed: strayUnserved,
  done: { sent: holdStray },
  refunding: { sent: refuseGivenBack, held: refuseGivenBack },
  refunded: { sent: refuseGivenBack },
  lost: { sent: holdStray },
}
