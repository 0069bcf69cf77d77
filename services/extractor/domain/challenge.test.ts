/** Responses that are challenges of bot defenses, and pages that only resemble them. */

import { challengeOf } from '@tidemark/html/challenge'
import { test } from 'tap'
import { factsOf } from './facts.examples.ts'

type Answer = { status: number; body: string; marks?: Record<string, string>; contentType?: string }

const fetched = ({ status, marks, contentType = 'text/html' }: Answer) => ({
  runId: 1,
  key: 'AAAAAAAAAAA',
  attempt: 1,
  url: 'https://site.test/',
  scope: { host: 'site.test', subdomains: false },
  storeHtml: true,
  status,
  contentType,
  encodings: [],
  robotsHeader: null,
  fetchedAt: '2026-01-02T03:04:05.678Z',
  elapsedMs: 1,
  bulkyKey: null,
  ...(marks && { marks }),
})
const factsOfAnswer = (answer: Answer) => factsOf(fetched(answer), Buffer.from(answer.body), '', 'tidemark')
const article = '<p>Words that a person wrote for people to read, and meant. '.repeat(60)

test('A challenge', async t => {
  const challenges: [by: string, answer: Answer][] = [
    [
      'Cloudflare',
      {
        status: 403,
        body: `<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body>
          <noscript>Enable JavaScript and cookies to continue</noscript>
          <script>(function(){window._cf_chl_opt = {cvId: '3'};var a=document.createElement('script');
          a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8';}());</script><a href="/x">x</a>`,
      },
    ],
    ['Cloudflare', { status: 403, body: '', marks: { 'cf-mitigated': 'challenge' } }],
    ['Cloudflare', { status: 503, body: '<p>Wait', marks: { 'cf-mitigated': 'challenge' } }],
    ['Cloudflare', { status: 403, body: '{}', marks: { 'cf-mitigated': 'challenge' }, contentType: 'a/b' }],
    [
      'Cloudflare',
      {
        status: 403,
        body: '<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1>',
      },
    ],
    [
      'Cloudflare',
      {
        status: 200,
        body: '<title>Un momento…</title><script>window._cf_chl_opt={};a.src="/cdn-cgi/challenge-platform/h/g"</script>',
      },
    ],
    [
      'DataDome',
      {
        status: 403,
        body: `<html><head><title>site.test</title></head><body><script>var dd={'rt':'c','cid':'A','host':'geo.captcha-delivery.com'}</script><script src="https://ct.captcha-delivery.com/c.js"></script>`,
      },
    ],
    [
      'DataDome',
      {
        status: 403,
        body: '{"url":"https://geo.captcha-delivery.com/captcha/?initialCid=A"}',
        contentType: 'application/json',
      },
    ],
    ['DataDome', { status: 403, body: 'x', marks: { 'x-dd-b': '2' }, contentType: 'text/plain' }],
    [
      'HUMAN',
      {
        status: 403,
        body: '<title>Access to this page has been denied</title><div id="px-captcha"></div><script>window._pxAppId="PX1"</script>',
      },
    ],
    [
      'Akamai',
      {
        status: 403,
        body: `<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have permission to access "http&#58;&#47;&#47;site&#46;test&#47;" on this server.<P>Reference&#32;&#35;18&#46;6</BODY></HTML>`,
      },
    ],
    [
      'Akamai',
      {
        status: 200,
        body: `<html><head><meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQAAAA'"/></head><body><script>var i=1</script>`,
      },
    ],
    ['Akamai', { status: 428, body: '<div id="sec-if-cpt-container"></div>' }],
    [
      'Imperva',
      {
        status: 200,
        body: `<html><head><META NAME="robots" CONTENT="noindex,nofollow"></head><body><iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=1" frameborder=0>Request unsuccessful. Incapsula incident ID: 1-2</iframe>`,
      },
    ],
    [
      'Imperva',
      {
        status: 200,
        body: '<title>Pardon Our Interruption</title><p>As you were browsing something about your browser made us think you were a bot.',
      },
    ],
    ['AWS WAF', { status: 202, body: '', marks: { 'x-amzn-waf-action': 'challenge' } }],
    ['AWS WAF', { status: 405, body: '<p>Wait', marks: { 'x-amzn-waf-action': 'captcha' } }],
    [
      'AWS WAF',
      {
        status: 405,
        body: '<html><title>Human Verification</title><script>window.gokuProps = {"key":"A"}</script>',
      },
    ],
    ['Vercel', { status: 429, body: '<title>Vercel Security Checkpoint</title>' }],
    [
      'Vercel',
      { status: 403, body: 'Forbidden', marks: { 'x-vercel-mitigated': 'deny' }, contentType: 'a/b' },
    ],
    ['Kasada', { status: 429, body: '<html><script>window.KPSDK={};KPSDK.now=1</script>' }],
    ['Anubis', { status: 200, body: '<title>…</title><script id="anubis_challenge">{}</script>' }],
    ['Sucuri', { status: 403, body: '<title>Access Denied - Sucuri Website Firewall</title>' }],
    ['Cloudflare', { status: 403, body: 'error code: 1020', contentType: 'text/plain; charset=UTF-8' }],
    [
      'Cloudflare',
      {
        status: 403,
        body: '<title>Access denied | site.test used Cloudflare to restrict access</title><h1>Error 1020</h1>',
      },
    ],
    [
      'HUMAN',
      {
        status: 403,
        body: '{"appId":"PX1","jsClientSrc":"/x/init.js","blockScript":"/x/captcha/captcha.js"}',
        contentType: 'application/json',
      },
    ],
    ['Akamai', { status: 428, body: '{"sec-cp-challenge":"true"}', contentType: 'application/json' }],
    [
      'AWS WAF',
      {
        status: 200,
        body: '<script src="https://a1.token.awswaf.com/a1/b2/challenge.js"></script><noscript>x</noscript>',
      },
    ],
    [
      'CloudFront',
      {
        status: 403,
        body: '<TITLE>ERROR: The request could not be satisfied</TITLE><H1>403 ERROR</H1>Request blocked.',
      },
    ],
    ['Azure WAF', { status: 403, body: '<title>Azure WAF</title><script>a()</script>' }],
    [
      'Fastly',
      { status: 200, body: '<title>Client Challenge</title><script src="/_fs-ch-1T/s.js"></script>' },
    ],
    [
      'F5',
      {
        status: 200,
        body: '<title>Request Rejected</title>The requested URL was rejected. Please consult with your administrator. Your support ID is: 17',
      },
    ],
    [
      'F5',
      {
        status: 200,
        body: '<script>window["bobcmn"]="1"</script><script src="/TSPD/08?type=7"></script><noscript>Your support ID is: 1</noscript>',
      },
    ],
    ['Radware', { status: 200, body: '<title>Radware Bot Manager Captcha</title>' }],
    ['Wordfence', { status: 503, body: '<h1>Your access is limited</h1><p>Generated by Wordfence at 3:04' }],
    [
      'SiteGround',
      {
        status: 202,
        body: '<meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F&y=ipc:1.2.3.4:1">',
      },
    ],
    ['Bunny', { status: 403, body: '<script src="/.bunny-shield/assets/challenge.js"></script>' }],
    ['Qrator', { status: 401, body: '<script src="/__qrator/qauth_utm_v2.js"></script>' }],
    [
      'Arkose',
      { status: 403, body: '<script src="https://client-api.arkoselabs.com/v2/A/api.js"></script>' },
    ],
    ['Yandex', { status: 200, body: '<form action="/checkcaptcha?key=1"><div class="SmartCaptcha">' }],
    [
      'iFastNet',
      {
        status: 200,
        body: '<script src="/aes.js"></script><script>function toNumbers(d){}document.cookie="__test="+slowAES.decrypt(c)</script>',
      },
    ],
    ['Alibaba', { status: 200, body: "<script>var arg1='AB';setCookie('acw_sc__v2', x)</script>" }],
    ['Tencent', { status: 200, body: '<script>document.cookie="EO_Bot_Ssid=1";location.reload()</script>' }],
    ['Reddit', { status: 403, body: "<p>You've been blocked by network security.</p>" }],
    [
      'a question',
      { status: 403, body: '<title>Verifying your connection...</title><p>Verifying your connection' },
    ],
    [
      'a question',
      { status: 403, body: '<noscript>Please enable JavaScript and cookies to go on.</noscript>' },
    ],
    ['a question', { status: 429, body: '<h1>Turn on cookies and JavaScript</h1>' }],
    ['a captcha', { status: 403, body: '<form><div class="g-recaptcha" data-sitekey="x"></div></form>' }],
    ['a captcha', { status: 429, body: "<h1>One more step</h1><div class='box h-captcha'></div>" }],
    ['a question', { status: 503, body: '<h1>Please verify you are a human</h1>' }],
    ['a question', { status: 429, body: '<p>Confirm that you are not a robot to go on.' }],
    ['a question', { status: 403, body: '<title>Security</title><h1>Are you a human?</h1>' }],
    ['a question', { status: 503, body: '<p>Checking your browser before accessing site.test' }],
  ]
  for (const [by, answer] of challenges)
    t.equal(factsOfAnswer(answer).challenge, by, `of ${by} with ${answer.status}`)

  t.same(factsOfAnswer(challenges[0]?.[1] as Answer).links, [], 'has no links to follow')
})

test('A header of a defence makes no challenge', async t => {
  const marks: Record<string, string>[] = [
    { 'cf-mitigated': 'challenge' },
    { 'x-amzn-waf-action': 'challenge' },
    { 'x-vercel-mitigated': 'deny' },
    { 'x-dd-b': '2' },
  ]
  for (const mark of marks) {
    const named = Object.keys(mark).join()
    for (const status of [200, 203, 206, 404, 410, 500])
      for (const contentType of ['text/html', 'application/json', 'image/png'])
        t.equal(
          factsOfAnswer({ status, body: 'x', marks: mark, contentType }).challenge,
          null,
          `with status ${status} and type ${contentType}: ${named}`,
        )
    for (const status of [403, 429]) {
      const long = { status, body: article, marks: mark }
      t.equal(factsOfAnswer(long).challenge, null, `of a long page with status ${status}: ${named}`)
      const json = { status, body: JSON.stringify(article.repeat(9)), marks: mark, contentType: 'text/json' }
      t.equal(factsOfAnswer(json).challenge, null, `of long JSON with status ${status}: ${named}`)
    }
  }
})

test('A long refusal is no challenge', async t => {
  const texts = [
    '<title>Just a moment...</title><script>window._cf_chl_opt</script>',
    '<script src="https://ct.captcha-delivery.com/c.js"></script>',
    '<div id="px-captcha"></div>',
    '<title>Vercel Security Checkpoint</title>',
    '<script>window.gokuProps = {}; window.KPSDK = {}</script>',
    '<title>Radware Bot Manager Captcha</title>',
    '<p>Sucuri Website Firewall, blocked by network security, unusual traffic from your computer network',
  ]
  for (const text of texts) {
    const page = { status: 403, body: `${text}${article}` }
    t.not(factsOfAnswer({ ...page, body: text }).challenge, null, `short: ${text}`)
    t.equal(factsOfAnswer(page).challenge, null, text)
  }
})

test('No challenge is', async t => {
  const pages: Record<string, Answer> = {
    'an article on captchas': {
      status: 200,
      body: `<title>Just a moment: how captchas verify you are a human</title>${article}<p>Checking your browser, g-recaptcha, px-captcha,
        <code>window._cf_chl_opt /cdn-cgi/challenge-platform/ captcha-delivery.com var dd= sec-if-cpt-container anubis_challenge gokuProps
        .awswaf.com/ challenge.js /_fs-ch- bobcmn /TSPD/ acw_sc__v2 EO_Bot_Ssid slowAES toNumbers /__qrator/ /.bunny-shield/
        SmartCaptcha /checkcaptcha /.well-known/sgcaptcha/ The requested URL was rejected. Your support ID is: 1
        Request unsuccessful. Incapsula incident ID &lt;iframe src="/_Incapsula_Resource"&gt;</code>`,
    },
    'a page that Cloudflare watches': {
      status: 200,
      body: `<title>Shop</title><p>Hello.<script>window.__CF$cv$params={r:'8'};a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script>`,
      marks: { server: 'cloudflare' },
    },
    'a page that DataDome watches': {
      status: 200,
      body: '<title>Shop</title><p>Hello.<script src="https://js.datadome.co/tags.js"></script>',
    },
    'a page that HUMAN watches': {
      status: 200,
      body: '<title>Shop</title><script>window._pxAppId="PX1"</script><p>Hello.',
    },
    'a page that Imperva watches': {
      status: 200,
      body: '<title>Shop</title><script src="/_Incapsula_Resource?SWJIYLWA=1"></script><p>Hello.',
    },
    'a form with a captcha': {
      status: 200,
      body: '<title>Sign in</title><form><div class="g-recaptcha"></div><p>Verify you are a human</form>',
    },
    'a refusal without a word on bots': {
      status: 403,
      body: '<title>403 Forbidden</title><h1>Forbidden</h1><p>You are not allowed to see this.',
    },
    'a refusal of a site that guards its forms': {
      status: 403,
      body: `<title>Members only</title>${article}<script src="https://www.google.com/recaptcha/api.js?render=x"></script><div class="g-recaptcha"></div>`,
    },
    'a host that wants a rest': { status: 429, body: 'Too many requests', contentType: 'text/plain' },
    'a site that is being mended': {
      status: 503,
      body: '<title>Back soon</title><p>We are checking our servers. Human help is on the way.',
    },
    'a missing page': { status: 404, body: '<title>Not found</title><h1>Are you a human?</h1>' },
    'the script of a defence': {
      status: 200,
      body: 'var dd={};"captcha-delivery.com px-captcha sec-if-cpt-container"',
      contentType: 'text/javascript',
    },
    'an article on errors': { status: 200, body: `error code: 1020 ${article}` },
    'a page that requires JavaScript and cookies': {
      status: 200,
      body: '<p>Enable JavaScript and cookies to use the shop.',
    },
    'a missing file of a network': {
      status: 403,
      body: '<TITLE>ERROR: The request could not be satisfied</TITLE>Access denied to the file.',
    },
    'an empty page': { status: 200, body: '' },
  }
  for (const [what, answer] of Object.entries(pages)) t.equal(factsOfAnswer(answer).challenge, null, what)

  const hostile = [
    'class="',
    "class='x ",
    '<iframe',
    'verify ',
    'http-equiv=refresh ',
    ' bm-verify= http-equiv=refresh',
    'Reference&#32;',
    'prove that',
    'enable ',
    'enable javascript ',
  ]
  for (const text of hostile) {
    const body = Buffer.from(text.repeat(100_000))
    const started = process.cpuUsage()
    challengeOf({ status: 403, body, title: 'Access Denied', words: 0 })
    t.ok(process.cpuUsage(started).user < 1_000_000, `and looking for one in ${text} costs little`)
  }
})
