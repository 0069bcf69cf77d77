/** Takes a screenshot of the whole page, cut at the bottom at the maximum height. */
import type { CDPSession } from 'playwright-core'
import { evaluateApart } from './document.ts'
import type { Rendered, RenderJob } from './job.ts'
import { valueWithin } from './within.ts'

const defaults = { pixels: 40_000_000, height: 20_000 }
const fontsMs = 1_500

/** Returns the PNG, as wide as the viewport. `pictureCut` has both heights if it shows only the beginning of the page. */
export async function takePicture(
  cdp: CDPSession,
  frameId: string,
  job: RenderJob,
): Promise<Pick<Rendered, 'picture' | 'pictureCut'>> {
  await valueWithin(fontsMs, evaluateApart(cdp, frameId, 'document.fonts?.ready.then(() => true)'), false)
  const { cssContentSize } = await cdp.send('Page.getLayoutMetrics')
  const { width } = job.identity.viewport
  const { maxPicturePixels = defaults.pixels, maxPictureHeight = defaults.height } = job
  const whole = Math.max(Math.ceil(cssContentSize.height), 1)
  const height = Math.max(1, Math.min(whole, maxPictureHeight, Math.floor(maxPicturePixels / width)))
  const { data } = await cdp.send('Page.captureScreenshot', {
    format: 'png',
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width, height, scale: 1 },
  })
  const pictureCut = height === whole ? null : { height, pageHeight: whole }
  return { picture: Buffer.from(data, 'base64'), pictureCut }
}
