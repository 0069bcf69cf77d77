/** The console: signs the reader in, and shows the screen of the address. */
import { render } from 'preact'
import { App } from './app.tsx'
import { followLinks } from './data/address.ts'
import { openSession, signedOut } from './data/session.ts'
import { followTheme } from './data/theme.ts'
import './styles/base.css'
import './styles/parts.css'
import './styles/screens.css'

followTheme()
followLinks()
const root = document.getElementById('console')
if (root !== null) render(<App />, root)
openSession().catch(error => signedOut(String((error as Error).message)))
