/** `POST /v1/cloud/render`: a page as it stands after its scripts have run; `/v1/cloud/screenshot`: its picture. */
import { type Static, Type } from 'typebox'
import { WaitFor } from '../ask/fetch.ts'
import { said } from '../primitives.ts'
import { returnFormatOf, Url } from './cloud-page.ts'

const waitFor = (usual: WaitFor) =>
  Type.With(said(WaitFor, 'When the page counts as loaded.'), { default: usual })

export const RenderRequest = Type.Object(
  { url: Url, return_format: returnFormatOf('raw', 'markdown', 'text', 'png'), wait_for: waitFor('load') },
  { $id: 'CloudRenderRequest' },
)
export type RenderRequest = Static<typeof RenderRequest>

export const ScreenshotRequest = Type.Object(
  // A picture is looked at: whatever the page still makes by then is to be on it.
  { url: Url, wait_for: waitFor('networkidle') },
  { $id: 'CloudScreenshotRequest' },
)
