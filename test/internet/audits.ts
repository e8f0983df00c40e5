import type { Page } from './web-server.ts'

const shop = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>A shop</title>
<meta name="generator" content="WordPress 6.4.2">
<meta name="generator" content="WooCommerce 8.5.1">
<link rel="stylesheet" href="/wp-content/plugins/woocommerce/assets/css/woocommerce.css?ver=8.5.1">
<link rel="preconnect" href="https://fonts.gstatic.com">
<link rel="stylesheet" href="https://fonts.googleapis.com/css2?family=Inter">
<script src="/wp-includes/js/jquery/jquery.min.js?ver=3.7.1"></script>
<script src="https://js.stripe.com/v3/"></script>
<script async src="https://www.googletagmanager.com/gtag/js?id=G-ABCDEF1234"></script>
<script>(function(w,d,s,l,i){w[l]=w[l]||[];var j=d.createElement(s);j.src='https://www.googletagmanager.com/gtm.js?id='+i})(window,document,'script','dataLayer','GTM-ABC1234');</script>
</head>
<body class="woocommerce-page">
<h1>A shop</h1>
<p>${'This shop sells things that are good to have. '.repeat(10)}</p>
</body>
</html>
`

/** A shop behind a network: what most fingerprints show at. */
export const audits: readonly (readonly [host: string, path: string, page: Page])[] = [
  [
    'shop.example.com',
    '/',
    {
      headers: {
        'content-type': 'text/html; charset=utf-8',
        server: 'cloudflare',
        'cf-ray': '8a1b2c3d4e5f-AMS',
        'x-powered-by': 'PHP/8.2.14',
        'set-cookie': ['wp_woocommerce_session_abc=1; path=/', '__cf_bm=x; Secure; HttpOnly; SameSite=None'],
      },
      body: shop,
    },
  ],
]
