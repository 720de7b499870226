/** Before servers are started by tests: the page that they serve. */
export { ensurePage as setup } from '../../scripts/page.ts';
