import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { absoluteUrl } from '../../lib/setting-texts.ts'

/** How payments by card are taken: with an account at Stripe, by its hosted page. */
export const cardSettings = settings({
  stripeKey: {
    variable: 'STRIPE_SECRET_KEY',
    schema: z.string().regex(/^(?:sk|rk)_\w{8,}$/, 'a secret or restricted key: sk_… or rk_…'),
    description:
      'Key of a Stripe account whose hosted page takes cards for top-ups. Without it, and without STRIPE_WEBHOOK_SECRET, no card is taken.',
    secret: true,
  },
  stripeWebhookSecret: {
    variable: 'STRIPE_WEBHOOK_SECRET',
    schema: z
      .string()
      .regex(
        /^whsec_[\w+/=]{8,}(?:,whsec_[\w+/=]{8,})*$/,
        'a signing secret, whsec_…, or several with commas',
      ),
    description:
      'Signing secret of the webhook endpoint that Stripe tells payments to, with commas where several are in use: {PUBLIC_URL}/auth/card/events, with the events checkout.session.*, charge.refunded and charge.dispute.*.',
    secret: true,
  },
  stripeApi: {
    variable: 'STRIPE_API',
    schema: absoluteUrl,
    description: 'Address of the Stripe API.',
    default: 'https://api.stripe.com',
  },
})
