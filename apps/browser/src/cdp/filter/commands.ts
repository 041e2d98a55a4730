// Every command of the protocol that Chromium has, and what a guest gets for it. A test compares the table with what the
// installed Chromium says of itself. A command that is not here is refused: it must never be let through unread.

/**
 * `allow`: done as it is. `rewrite`: its parameters are checked and changed by a rule of its name. `answer`: said to be done,
 * and not done, because it would change what everybody sees, or the lives of others. `refuse`: an error in words.
 */
export type Verdict = 'allow' | 'rewrite' | 'answer' | 'refuse';

export const commands: Record<string, Partial<Record<Verdict, string>>> = {
  Accessibility: {
    allow: `
      disable enable getAXNodeAndAncestors getChildAXNodes getFullAXTree getPartialAXTree getRootAXNode queryAXTree
    `,
  },
  Ads: { refuse: 'getAdMetrics getAdScripts' },
  Animation: {
    allow: 'disable enable getCurrentTime getPlaybackRate releaseAnimations resolveAnimation',
    answer: 'seekAnimations setPaused setPlaybackRate setTiming',
  },
  Audits: { allow: 'checkFormsIssues disable enable getEncodedResponse' },
  Autofill: { refuse: 'disable enable setAddresses trigger' },
  BackgroundService: { refuse: 'clearEvents setRecording startObserving stopObserving' },
  BluetoothEmulation: {
    refuse: `
      addCharacteristic addDescriptor addService disable enable removeCharacteristic removeDescriptor removeService
      setSimulatedCentralState simulateAdvertisement simulateCharacteristicOperationResponse
      simulateDescriptorOperationResponse simulateGATTDisconnection simulateGATTOperationResponse
      simulatePreconnectedPeripheral
    `,
  },
  Browser: {
    allow: 'getVersion getWindowBounds',
    rewrite: 'cancelDownload getWindowForTarget grantPermissions resetPermissions setPermission',
    answer: 'close setContentsSize setDownloadBehavior setWindowBounds',
    refuse: `
      addMockCamera addPrivacySandboxEnrollmentOverride crash crashGpuProcess executeBrowserCommand
      getBrowserCommandLine getGlobalPrivacyControl getHistogram getHistograms setDockTile setGlobalPrivacyControl
    `,
  },
  CSS: {
    allow: `
      addRule collectClassNames createStyleSheet disable enable getAnimatedStylesForNode getBackgroundColors getComputedStyleForNode getEnvironmentVariables
      getInlineStylesForNode getLayersForNode getLocationForSelector getLonghandProperties getMatchedStylesForNode
      getMediaQueries getPlatformFontsForNode getStyleSheetText resolveValues setContainerQueryConditionText
      setContainerQueryText setEffectivePropertyValueForNode setKeyframeKey setMediaText setNavigationText
      setPropertyRulePropertyName setRuleSelector setScopeText setStyleSheetText setStyleTexts setSupportsText
      startRuleUsageTracking stopRuleUsageTracking takeComputedStyleUpdates takeCoverageDelta
      trackComputedStyleUpdates trackComputedStyleUpdatesForNode
    `,
    answer: 'forcePseudoState forceStartingStyle setLocalFontsEnabled',
  },
  CacheStorage: { allow: 'deleteCache deleteEntry requestCachedResponse requestCacheNames requestEntries' },
  Cast: { refuse: 'disable enable setSinkToUse startDesktopMirroring startTabMirroring stopCasting' },
  Console: { allow: 'clearMessages disable enable' },
  CrashReportContext: { refuse: 'getEntries' },
  DOM: {
    allow: `
      collectClassNamesFromSubtree copyTo describeNode disable discardSearchResults enable focus getAnchorElement getAttributes getBoxModel getContainerForNode
      getContentQuads getDocument getElementByRelation getFlattenedDocument getFrameOwner
      getImplicitAnchorCandidates getNodeForLocation getNodesForSubtreeByStyle getNodeStackTraces getOuterHTML
      getQueryingDescendantsForContainer getRelayoutBoundary getSearchResults getTopLayerElements markUndoableState
      moveTo performSearch pushNodeByPathToFrontend pushNodesByBackendIdsToFrontend querySelector querySelectorAll
      redo removeAttribute removeNode requestChildNodes requestNode scrollIntoViewIfNeeded setAttributesAsText
      setAttributeValue setNodeName setNodeStackTracesEnabled setNodeValue setOuterHTML undo
    `,
    rewrite: 'resolveNode setFileInputFiles',
    answer: 'clearTextMarkers hideHighlight highlightNode highlightRect setInspectedNode setTextMarker',
    refuse: 'forceShowInterest forceShowPopover getDetachedDomNodes getFileInfo',
  },
  DOMDebugger: {
    allow: 'getEventListeners',
    refuse: `
      removeDOMBreakpoint removeEventListenerBreakpoint removeInstrumentationBreakpoint removeXHRBreakpoint
      setBreakOnCSPViolation setDOMBreakpoint setEventListenerBreakpoint setInstrumentationBreakpoint
      setXHRBreakpoint
    `,
  },
  DOMSnapshot: { allow: 'captureSnapshot disable enable getSnapshot' },
  DOMStorage: { allow: 'clear disable enable getDOMStorageItems removeDOMStorageItem setDOMStorageItem' },
  Debugger: {
    answer: 'disable',
    refuse: `
      continueToLocation disassembleWasmModule enable evaluateOnCallFrame getPossibleBreakpoints getScriptSource
      getStackTrace getWasmBytecode nextWasmDisassemblyChunk pause pauseOnAsyncCall removeBreakpoint restartFrame
      resume searchInContent setAsyncCallStackDepth setBlackboxedRanges setBlackboxExecutionContexts
      setBlackboxPatterns setBreakpoint setBreakpointByUrl setBreakpointOnFunctionCall setBreakpointsActive
      setInstrumentationBreakpoint setPauseOnExceptions setReturnValue setScriptSource setSkipAllPauses
      setVariableValue stepInto stepOut stepOver
    `,
  },
  DeviceAccess: { refuse: 'cancelPrompt disable enable selectPrompt' },
  DeviceOrientation: { refuse: 'clearDeviceOrientationOverride setDeviceOrientationOverride' },
  DigitalCredentials: { refuse: 'setVirtualWalletBehavior' },
  Emulation: {
    allow: 'canEmulate clearGeolocationOverride getScreenInfos setGeolocationOverride setUserAgentOverride',
    answer: `
      clearDeviceMetricsOverride clearDevicePostureOverride clearDisplayFeaturesOverride clearIdleOverride
      resetPageScaleFactor setAutoDarkModeOverride setCPUThrottlingRate setDefaultBackgroundColorOverride
      setDeviceMetricsOverride setDevicePostureOverride setDisplayFeaturesOverride setEmitTouchEventsForMouse
      setEmulatedMedia setEmulatedOSTextScale setEmulatedVisionDeficiency setFocusEmulationEnabled
      setHardwareConcurrencyOverride setIdleOverride setLocaleOverride setPageScaleFactor setSafeAreaInsetsOverride
      setScrollbarsHidden setSmallViewportHeightDifferenceOverride setTimezoneOverride setTouchEmulationEnabled
      setVirtualKeyboardGeometryOverride setVisibleSize
    `,
    refuse: `
      addScreen getOverriddenSensorInformation removeScreen setAutomationOverride setCPUPerformanceOverride
      setDataSaverOverride setDisabledImageTypes setDocumentCookieDisabled setNavigatorOverrides
      setPressureSourceOverrideEnabled setPressureStateOverride setPrimaryScreen setScriptExecutionDisabled
      setSensorOverrideEnabled setSensorOverrideReadings setVirtualTimePolicy updateScreen
    `,
  },
  EventBreakpoints: { refuse: 'disable removeInstrumentationBreakpoint setInstrumentationBreakpoint' },
  Extensions: {
    refuse: `
      clearStorageItems getExtensions getStorageItems loadUnpacked removeStorageItems setStorageItems triggerAction
      uninstall
    `,
  },
  FedCm: { refuse: 'clickDialogButton disable dismissDialog enable openUrl resetCooldown selectAccount' },
  Fetch: {
    allow: `
      continueResponse continueWithAuth disable enable failRequest fulfillRequest getResponseBody
      takeResponseBodyAsStream
    `,
    rewrite: 'continueRequest',
  },
  FileSystem: { refuse: 'getDirectory' },
  FindInPage: { refuse: 'findFirst findNext findPrev stop' },
  HeadlessExperimental: { refuse: 'beginFrame disable enable' },
  HeapProfiler: {
    allow: 'collectGarbage disable enable getSamplingProfile startSampling stopSampling',
    refuse: `
      addInspectedHeapObject getHeapObjectId getObjectByHeapObjectId startTrackingHeapObjects
      stopTrackingHeapObjects takeHeapSnapshot
    `,
  },
  IO: { allow: 'close read resolveBlob' },
  IndexedDB: {
    allow: `
      clearObjectStore deleteDatabase deleteObjectStoreEntries disable enable getMetadata requestData
      requestDatabase requestDatabaseNames
    `,
  },
  Input: {
    allow: `
      cancelDragging dispatchKeyEvent dispatchMouseEvent dispatchTouchEvent emulateTouchFromMouseEvent
      imeSetComposition insertText setInterceptDrags synthesizeScrollGesture synthesizeTapGesture
    `,
    rewrite: 'dispatchDragEvent',
    answer: 'synthesizePinchGesture',
    refuse: 'setIgnoreInputEvents',
  },
  Inspector: { allow: 'disable enable' },
  LayerTree: {
    refuse: `
      compositingReasons disable enable loadSnapshot makeSnapshot profileSnapshot releaseSnapshot replaySnapshot
      snapshotCommandLog
    `,
  },
  Log: { allow: 'clear disable enable startViolationsReport stopViolationsReport' },
  Media: { allow: 'disable enable' },
  Memory: {
    allow: 'getDOMCounters',
    refuse: `
      forciblyPurgeJavaScriptMemory getAllTimeSamplingProfile getBrowserSamplingProfile
      getDOMCountersForLeakDetection getSamplingProfile prepareForLeakDetection setPressureNotificationsSuppressed
      simulatePressureNotification startSampling stopSampling
    `,
  },
  Network: {
    allow: `
      canClearBrowserCache canClearBrowserCookies canEmulateNetworkConditions clearBrowserCache clearBrowserCookies
      deleteCookies disable emulateNetworkConditions emulateNetworkConditionsByRule enable enableReportingApi
      fetchSchemefulSite getAllCookies getCertificate getCookies getRequestPostData getResponseBody
      getSecurityIsolationStatus overrideNetworkState searchInResponseBody setAttachDebugStack
      setBlockedURLs setBypassServiceWorker setCacheDisabled setCookie setCookies setExtraHTTPHeaders
      setUserAgentOverride streamResourceContent
    `,
    rewrite: 'loadNetworkResource',
    refuse: `
      configureDurableMessages deleteDeviceBoundSession enableDeviceBoundSessions replayXHR setCookieControls
    `,
  },
  Overlay: {
    answer: `
      disable enable hideHighlight highlightFrame highlightNode highlightQuad highlightRect highlightSourceOrder
      setPausedInDebuggerMessage setShowAdHighlights setShowContainerQueryOverlays setShowDebugBorders
      setShowDisplayCutout setShowFlexOverlays setShowFPSCounter setShowGridOverlays setShowHinge
      setShowHitTestBorders setShowInspectedElementAnchor setShowIsolatedElements setShowLayoutShiftRegions
      setShowPaintRects setShowScrollBottleneckRects setShowScrollSnapOverlays setShowViewportSizeOnResize
      setShowWebVitals setShowWindowControlsOverlay
    `,
    refuse: `
      getGridHighlightObjectsForTest getHighlightObjectForTest getSourceOrderHighlightObjectForTest setInspectMode
    `,
  },
  PWA: {
    refuse: 'changeAppUserSettings getOsAppState install launch launchFilesInApp openCurrentPageInApp uninstall',
  },
  Page: {
    allow: `
      addScriptToEvaluateOnLoad bringToFront captureScreenshot captureSnapshot clearGeolocationOverride close
      deleteCookie disable getAdScriptAncestry getAppId getAppManifest getFrameTree getInstallabilityErrors
      getLayoutMetrics getManifestIcons getNavigationHistory getOriginTrials getPermissionsPolicyState
      getResourceContent getResourceTree handleJavaScriptDialog navigateToHistoryEntry printToPDF reload
      removeScriptToEvaluateOnLoad removeScriptToEvaluateOnNewDocument searchInResource setBypassCSP
      setDocumentContent setGeolocationOverride setLifecycleEventsEnabled setPrerenderingAllowed stopLoading
    `,
    rewrite: 'addScriptToEvaluateOnNewDocument createIsolatedWorld enable navigate',
    answer: `
      clearDeviceMetricsOverride screencastFrameAck setAdBlockingEnabled setDeviceMetricsOverride
      setDownloadBehavior setFontFamilies setFontSizes setInterceptFileChooserDialog setTouchEmulationEnabled
      startScreencast stopScreencast
    `,
    refuse: `
      addCompilationCache clearCompilationCache clearDeviceOrientationOverride crash generateTestReport
      getAnnotatedPageContent getSiblingSubApps getSubApps produceCompilationCache resetNavigationHistory
      setDeviceOrientationOverride setRPHRegistrationMode setSPCTransactionMode setWebLifecycleState
      startScreenRecording stopScreenRecording waitForDebugger
    `,
  },
  Performance: { allow: 'disable enable getMetrics setTimeDomain' },
  PerformanceTimeline: { allow: 'enable' },
  Preload: { allow: 'disable enable' },
  Profiler: {
    allow: `
      disable enable getBestEffortCoverage setSamplingInterval start startPreciseCoverage stop stopPreciseCoverage
      takePreciseCoverage
    `,
  },
  Runtime: {
    allow: `
      awaitPromise disable discardConsoleEntries enable getExceptionDetails getHeapUsage getIsolateId getProperties
      queryObjects releaseObject releaseObjectGroup removeBinding runIfWaitingForDebugger setAsyncCallStackDepth
      setMaxCallStackSizeToCapture
    `,
    rewrite: 'addBinding callFunctionOn compileScript evaluate globalLexicalScopeNames runScript',
    refuse: 'setCustomObjectFormatterEnabled terminateExecution',
  },
  Schema: { allow: 'getDomains' },
  Security: {
    allow: 'disable enable',
    refuse: 'handleCertificateError setIgnoreCertificateErrors setOverrideCertificateErrors',
  },
  ServiceWorker: {
    allow: 'disable enable skipWaiting startWorker stopWorker unregister updateRegistration',
    refuse: 'deliverPushMessage dispatchPeriodicSyncEvent dispatchSyncEvent setForceUpdateOnPageLoad stopAllWorkers',
  },
  SmartCardEmulation: {
    refuse: `
      disable enable reportBeginTransactionResult reportConnectResult reportDataResult reportError
      reportEstablishContextResult reportGetStatusChangeResult reportListReadersResult reportPlainResult
      reportReleaseContextResult reportStatusResult
    `,
  },
  Storage: {
    allow: `
      clearDataForOrigin clearDataForStorageKey getStorageKey getStorageKeyForFrame getUsageAndQuota
      trackCacheStorageForOrigin trackCacheStorageForStorageKey trackIndexedDBForOrigin trackIndexedDBForStorageKey
      untrackCacheStorageForOrigin untrackCacheStorageForStorageKey untrackIndexedDBForOrigin
      untrackIndexedDBForStorageKey
    `,
    rewrite: 'clearCookies getCookies setCookies',
    refuse: `
      clearPrivateVerificationTokens clearTrustTokens deletePrivateVerificationToken deleteStorageBucket
      getPrivateVerificationTokens getPrivateVerificationTokensIssuerConfigs getTrustTokens overrideQuotaForOrigin
      runBounceTrackingMitigations setPrivateVerificationTokensTracking setStorageBucketTracking
    `,
  },
  SystemInfo: { refuse: 'getFeatureState getInfo getProcessInfo' },
  Target: {
    allow: 'attachToBrowserTarget',
    rewrite: `
      activateTarget attachToTarget autoAttachRelated closeTarget createTarget detachFromTarget getBrowserContexts
      getTargetInfo getTargets setAutoAttach setDiscoverTargets
    `,
    refuse: `
      createBrowserContext disposeBrowserContext exposeDevToolsProtocol getDevToolsTarget openDevTools
      sendMessageToTarget setRemoteLocations
    `,
  },
  Tethering: { refuse: 'bind unbind' },
  Tracing: {
    refuse: 'end getCategories getTrackEventDescriptor recordClockSyncMarker requestMemoryDump start',
  },
  WebAudio: { allow: 'disable enable getRealtimeData' },
  WebAuthn: {
    allow: `
      addCredential addVirtualAuthenticator clearCredentials disable enable getCredential getCredentials
      removeCredential removeVirtualAuthenticator setAutomaticPresenceSimulation setCredentialProperties
      setResponseOverrideBits setUserVerified
    `,
  },
  WebMCP: { allow: 'cancelInvocation disable enable', refuse: 'invokeTool' },
};

/** A guest may send these in its browser session too, beside the domains Browser and Target. All others need the session of a page. */
const ofBrowserToo = new Set(['Storage.getCookies', 'Storage.setCookies', 'Storage.clearCookies', 'Schema.getDomains']);

export const isOfBrowser = (method: string): boolean => /^(Browser|Target)\./.test(method) || ofBrowserToo.has(method);

const verdicts = new Map(
  Object.entries(commands).flatMap(([domain, byVerdict]) =>
    Object.entries(byVerdict).flatMap(([verdict, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name): [string, Verdict] => [`${domain}.${name}`, verdict as Verdict]),
    ),
  ),
);

/** Undefined for a command that nobody has read. */
export const verdictOf = (method: string): Verdict | undefined => verdicts.get(method);

export const methodsWith = (verdict: Verdict): string[] =>
  [...verdicts].filter(([, one]) => one === verdict).map(([method]) => method);
