/** Makes the headers of a browser and its scripts show the same identity. */
import type { BrowserContextOptions, CDPSession } from 'playwright-core'
import type { Identity } from './job.ts'

type UserAgentOverride = Parameters<CDPSession['send']>[1] & { userAgent: string }

const platforms: [RegExp, { script: string; hint: string; version: string }][] = [
  [/Windows NT/, { script: 'Win32', hint: 'Windows', version: '15.0.0' }],
  [/Macintosh/, { script: 'MacIntel', hint: 'macOS', version: '14.5.0' }],
  [/Android/, { script: 'Linux armv8l', hint: 'Android', version: '14.0.0' }],
]
const linux = { script: 'Linux x86_64', hint: 'Linux', version: '' }

/**
 * Returns the options of a separate browser context for one job. The context stores nothing after the job, grants no
 * permissions, and allows no downloads and no service workers.
 */
export function contextOptions(identity: Identity, userAgent: string): BrowserContextOptions {
  const { locale, viewport, timezone, colorScheme } = identity
  return {
    userAgent,
    locale,
    viewport,
    ...(timezone && { timezoneId: timezone }),
    ...(colorScheme && { colorScheme }),
    acceptDownloads: false,
    serviceWorkers: 'block',
    permissions: [],
  }
}

/** Sets the client hints and the platform that match the user agent. Agents other than Chromium send no hints. */
export async function showIdentity(cdp: CDPSession, identity: Identity, userAgent: string): Promise<void> {
  await cdp.send('Emulation.setUserAgentOverride', overrideOf(identity, userAgent))
}

function overrideOf(identity: Identity, userAgent: string): UserAgentOverride {
  const [, platform] = platforms.find(([is]) => is.test(userAgent)) ?? [/./, linux]
  const shown = { userAgent, acceptLanguage: identity.locale, platform: platform.script }
  const [, full] = /(?:Chrome|Chromium)\/([\d.]+)/.exec(userAgent) ?? []
  if (!full) return shown
  const isMobile = /Mobile/.test(userAgent)
  return {
    ...shown,
    userAgentMetadata: {
      brands: brands(full.split('.')[0] ?? '', '8'),
      fullVersionList: brands(full, '8.0.0.0'),
      platform: platform.hint,
      platformVersion: platform.version,
      architecture: isMobile ? '' : 'x86',
      bitness: isMobile ? '' : '64',
      model: '',
      mobile: isMobile,
      wow64: false,
    },
  }
}

function brands(version: string, none: string): { brand: string; version: string }[] {
  return [
    { brand: 'Chromium', version },
    { brand: 'Google Chrome', version },
    { brand: 'Not_A Brand', version: none },
  ]
}
