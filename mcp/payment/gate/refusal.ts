import type { Refusal } from '../method.ts'

/** Texts for a refused payer, beside the reason itself. */
export const refusalTexts: Readonly<Record<Refusal, string>> = {
  expired: 'The payment has expired. Sign a new one against these offers.',
  not_yet_valid: 'The payment is not valid yet. Send it again later, or sign one that is.',
  wrong_network: 'The payment is for a network that this call is not offered on.',
  wrong_asset: 'The payment is in an asset that is not offered.',
  wrong_recipient: 'The payment goes to somebody else.',
  too_little: 'The payment is less than the price.',
  too_much:
    'The payment is more than the price, which is exact. Sign one over the price, or over a quote that still holds.',
  insufficient_funds: 'The payer does not hold the amount.',
  balance_too_low: 'The balance is too low; nothing was charged.',
  limit_per_call: 'The call costs more than its client may spend on one; nothing was charged.',
  limit_per_day: 'The client has spent what it may in a day; nothing was charged.',
  limit_service: 'The client may not spend anything on this service; nothing was charged.',
  factory_not_allowed:
    'The smart account that pays is not deployed, and its factory is none that this server deploys from. Deploy the account first, or pay from another one.',
  invalid_signature: 'The signature of the payment is not that of its payer.',
  already_used: 'The authorization was used already.',
  unreadable: 'The payment cannot be read.',
  other_account:
    'The payment does not name the account that it is to be credited to. Nothing was moved. Pay over the quote that this call answers, sent back with the payment as it is (x402 version 2), or from the wallet of the account.',
  ambiguous_payment: 'Two different payments came with one call. Nothing was moved: send one of them.',
  settlement_failed: 'The payment could not be settled. Nothing was charged.',
}
