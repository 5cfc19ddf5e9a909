// Before the tests in process: their script is of the sources as they are now.
import { bundleSources } from '../../bundler/bundle-sources.mjs';

export default () => bundleSources();
