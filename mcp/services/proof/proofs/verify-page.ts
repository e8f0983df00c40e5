import made from './data/verify-page.json' with { type: 'json' }

/** The policy of the page: its own script and style, and no connections. */
export const verifyPagePolicy = made.policy

/** The script that verifies in the fields of the page; a page that has the same fields takes the same script. */
export const verifyScript = made.script

/** The page that verifies proofs in a browser, without a network; scripts/verify-page.mjs makes it from the checks in verify/. */
export const verifyPage = [made.head, made.script, made.tail].join('')
