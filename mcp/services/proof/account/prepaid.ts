import type { Prepaid } from '../../../kernel/service.ts'
import { walletUnit } from './wallet.ts'

/** How calls of this service are paid ahead. */
export const prepaid: Prepaid = {
  unit: walletUnit,
  register: 'register',
  topUps: ['top_up', 'top_up_by_card'],
  freeCalls: 5,
}
